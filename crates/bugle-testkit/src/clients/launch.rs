//! Starts a client: arguments, environment and deadline.

use std::time::Duration;

use super::inside::Errand;
use super::recipe::{Prompt, recipe};
use super::{Client, Running, Sandbox};
use crate::model_server::{ModelServer, Reply, Request};

/// The deadline: far longer than a client should take, even on a busy machine.
const MAX_LENGTH: Duration = Duration::from_secs(90);

/// A client with a prompt that is not started yet.
#[derive(Debug)]
pub struct Launch<'a> {
    sandbox: &'a Sandbox,
    prompt: String,
    /// The session to resume.
    session: Option<String>,
    arguments: Vec<String>,
    environment: Vec<(String, String)>,
    resident: bool,
    /// Whether the prompt is a script that starts clients itself.
    is_script: bool,
}

impl Sandbox {
    /// A shell script that runs in the client's namespace: its processes can only reach the model.
    pub fn script(&self, lines: &str) -> Launch<'_> {
        Launch::new(self, lines).of_script()
    }

    /// The client with a prompt, not started yet.
    pub fn launch(&self, prompt: &str) -> Launch<'_> {
        Launch::new(self, prompt)
    }
}

impl<'a> Launch<'a> {
    pub(super) fn new(sandbox: &'a Sandbox, prompt: &str) -> Self {
        Self {
            sandbox,
            prompt: prompt.to_owned(),
            session: None,
            arguments: Vec::new(),
            environment: Vec::new(),
            resident: false,
            is_script: false,
        }
    }

    /// Treats the prompt as a shell script.
    pub(super) fn of_script(mut self) -> Self {
        self.is_script = true;
        self
    }

    /// Resumes an earlier process's session.
    #[must_use]
    pub fn resume(mut self, session: &str) -> Self {
        self.session = Some(session.to_owned());
        self
    }

    /// Compacts the conversation as soon as the model reports [`CROWDED`](super::CROWDED) tokens.
    #[must_use]
    pub fn compacting_early(self) -> Self {
        let early = &recipe(self.sandbox.client).early_compaction;
        let launch = self.arguments(early.arguments);
        let variables = early.variables.iter();
        variables.fold(launch, |launch, (name, value)| launch.variable(name, value))
    }

    /// Claude only: keeps the client running after the first turn. The client waits for [`Running::say`] until
    /// [`Running::finish`] is called.
    #[must_use]
    pub fn resident(mut self) -> Self {
        assert_eq!(
            self.sandbox.client,
            Client::Claude,
            "only Claude can keep running after a turn"
        );
        self.resident = true;
        self
    }

    /// Codex only: runs commands in this sandbox, such as `read-only`. The sandbox's own temporary folders stay writable in
    /// Codex by default, and tests work there, so they are made read-only too.
    #[must_use]
    pub fn sandboxed(self, access: &str) -> Self {
        assert_eq!(
            self.sandbox.client,
            Client::Codex,
            "only Codex has a sandbox here"
        );
        let mode = format!("sandbox_mode=\"{access}\"");
        self.arguments(&[
            "-c",
            &mode,
            "-c",
            "sandbox_workspace_write.exclude_slash_tmp=true",
            "-c",
            "sandbox_workspace_write.exclude_tmpdir_env_var=true",
        ])
    }

    /// Adds arguments for the client, before the prompt.
    #[must_use]
    pub fn arguments(mut self, words: &[&str]) -> Self {
        self.arguments.extend(words.iter().map(|word| (*word).to_owned()));
        self
    }

    /// Sets a variable in the client's environment.
    #[must_use]
    pub fn variable(mut self, name: &str, value: &str) -> Self {
        self.environment.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Starts the client with this model and waits until it exits.
    pub fn run(self, model: impl FnMut(&Request) -> Reply + Send + 'static) -> super::Finished {
        self.start(model).finish()
    }

    /// Starts the client with this model.
    pub fn start(self, model: impl FnMut(&Request) -> Reply + Send + 'static) -> Running {
        let socket = self.sandbox.fresh_socket();
        let server = ModelServer::start(&socket, model).unwrap();
        let mut environment = self.sandbox.environment();
        for client in Client::ALL {
            if self.is_script || client == self.sandbox.client {
                environment.extend((recipe(client).environment)(&self.sandbox.folders()));
            }
        }
        environment.extend(self.environment.iter().cloned());
        let errand = Errand {
            socket,
            directory: self.sandbox.project(),
            program: if self.is_script {
                "/bin/sh".into()
            } else {
                self.sandbox.client_program.clone()
            },
            arguments: if self.is_script {
                vec!["-e".to_owned(), "-c".to_owned(), self.prompt.clone()]
            } else {
                (recipe(self.sandbox.client).arguments)(&Prompt {
                    text: &self.prompt,
                    session: self.session.as_deref(),
                    arguments: &self.arguments,
                    resident: self.resident,
                })
            },
            environment,
            longest: MAX_LENGTH,
        };
        let command = errand.command(self.sandbox.namespace, self.sandbox.tests.inside);
        let first = self.resident.then_some(self.prompt.as_str());
        Running::start(self.sandbox.client, command, server, first, MAX_LENGTH)
    }
}
