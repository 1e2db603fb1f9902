//! `bugle role`

use bugle_app::{AppError, Exit, Place, define_role, export_roles, roles, show_role};
use bugle_render::role as text;

use crate::arguments_role::RoleCommand;
use crate::output::Output;

pub(crate) fn role(place: &Place, command: &RoleCommand, output: &Output) -> Result<Exit, AppError> {
    match command {
        RoleCommand::List => {
            let list = roles(place)?;
            output.answer(&list, || text::list(&list))?;
        }
        RoleCommand::Show(arguments) => {
            let detail = show_role(place, &arguments.name)?;
            output.answer(&detail, || text::detail(&detail))?;
        }
        RoleCommand::Export(arguments) => {
            let client = arguments.client.into();
            match (&arguments.to, arguments.role.as_slice()) {
                // As it is, to the last byte: it is meant for a file.
                (None, [name]) => {
                    let definition = define_role(place, client, name)?;
                    output.answer(&definition, || definition.text.clone())?;
                }
                (to, names) => {
                    let export = export_roles(place, client, to.as_deref(), names)?;
                    output.answer(&export, || text::export(&export, client))?;
                }
            }
        }
    }
    Ok(Exit::Done)
}
