//! SCRAM channel binding: proves that the password was checked by the owner of the TLS certificate (RFC 5929,
//! `tls-server-end-point`).

use rustls::pki_types::CertificateDer;
use sha2::{Digest as _, Sha256, Sha384, Sha512};

/// The tag of a DER sequence.
const SEQUENCE: u8 = 0x30;
/// The tag of a DER object identifier.
const OBJECT_ID: u8 = 0x06;

/// A hash function for certificates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Hash {
    Sha256,
    Sha384,
    Sha512,
}

/// The signature algorithms, as DER object identifiers. MD5 and SHA-1 are replaced by SHA-256.
const ALGORITHMS: [(&[u8], Hash); 9] = [
    // RSA with MD5, SHA-1, SHA-256, SHA-384 and SHA-512.
    (
        &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x04],
        Hash::Sha256,
    ),
    (
        &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x05],
        Hash::Sha256,
    ),
    (
        &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x0b],
        Hash::Sha256,
    ),
    (
        &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x0c],
        Hash::Sha384,
    ),
    (
        &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x0d],
        Hash::Sha512,
    ),
    // ECDSA with SHA-1, SHA-256, SHA-384 and SHA-512.
    (&[0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x01], Hash::Sha256),
    (&[0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02], Hash::Sha256),
    (&[0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x03], Hash::Sha384),
    (&[0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x04], Hash::Sha512),
];

/// The hash of the server's certificate; `None` if channel binding is not defined for its signature algorithm, such as
/// Ed25519.
pub(super) fn server_end_point(certificate: &CertificateDer<'_>) -> Option<Vec<u8>> {
    let algorithm = signature_algorithm(certificate)?;
    let (_, hash) = ALGORITHMS.iter().find(|(known, _)| *known == algorithm)?;
    Some(match hash {
        Hash::Sha256 => Sha256::digest(certificate).to_vec(),
        Hash::Sha384 => Sha384::digest(certificate).to_vec(),
        Hash::Sha512 => Sha512::digest(certificate).to_vec(),
    })
}

/// The object identifier of a certificate's signature algorithm: the first field after the signed part.
fn signature_algorithm(certificate: &[u8]) -> Option<&[u8]> {
    let (certificate, _) = value(certificate, SEQUENCE)?;
    let (_signed, rest) = value(certificate, SEQUENCE)?;
    let (algorithm, _) = value(rest, SEQUENCE)?;
    let (id, _) = value(algorithm, OBJECT_ID)?;
    Some(id)
}

/// Splits the first DER value with this tag from the rest.
fn value(bytes: &[u8], tag: u8) -> Option<(&[u8], &[u8])> {
    let [found, first, rest @ ..] = bytes else {
        return None;
    };
    if *found != tag {
        return None;
    }
    // A length above 127 starts with a byte that contains the number of length bytes.
    let (length, rest) = if *first < 0x80 {
        (usize::from(*first), rest)
    } else {
        let (digits, rest) = rest.split_at_checked(usize::from(first & 0x7f))?;
        if digits.len() > size_of::<u32>() {
            return None;
        }
        let length = digits
            .iter()
            .fold(0, |length, digit| length << 8 | usize::from(*digit));
        (length, rest)
    };
    rest.split_at_checked(length)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A DER value with a short or a long length.
    fn der(tag: u8, content: &[u8]) -> Vec<u8> {
        let length = content.len();
        let mut bytes = vec![tag];
        if length < 0x80 {
            bytes.push(u8::try_from(length).unwrap());
        } else {
            bytes.push(0x82);
            bytes.extend(u16::try_from(length).unwrap().to_be_bytes());
        }
        bytes.extend(content);
        bytes
    }

    fn certificate(algorithm: &[u8]) -> Vec<u8> {
        let parts = [
            der(SEQUENCE, &[7; 300]),
            der(SEQUENCE, &der(OBJECT_ID, algorithm)),
            der(0x03, &[0; 70]),
        ];
        der(SEQUENCE, &parts.concat())
    }

    #[test]
    fn a_certificate_is_hashed_with_the_hash_function_of_its_signature() {
        for (algorithm, hash) in ALGORITHMS {
            let certificate = certificate(algorithm);
            let found = server_end_point(&CertificateDer::from(certificate)).unwrap();
            let length = match hash {
                Hash::Sha256 => 32,
                Hash::Sha384 => 48,
                Hash::Sha512 => 64,
            };
            assert_eq!(found.len(), length);
        }
    }

    #[test]
    fn an_unknown_signature_and_broken_bytes_have_no_hash() {
        let ed25519 = certificate(&[0x2b, 0x65, 0x70]);
        assert_eq!(signature_algorithm(&ed25519), Some(&[0x2b, 0x65, 0x70][..]));
        for end in 0..ed25519.len() {
            let cut = CertificateDer::from(&ed25519[..end]);
            assert_eq!(server_end_point(&cut), None);
        }
        assert_eq!(server_end_point(&CertificateDer::from(ed25519)), None);
        assert_eq!(value(&[SEQUENCE, 0xff, 1, 2], SEQUENCE), None);
    }
}
