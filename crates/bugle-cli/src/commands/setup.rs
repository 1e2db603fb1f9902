//! `bugle setup`, `bugle doctor` and `bugle plugin`

use bugle_app::{
    AppError, DoctorRequest, DoctorScope, Exit, Place, PluginRequest, SetupRequest, build_plugin,
    doctor as look, permit_at, setup as set_up,
};
use bugle_core::rights::Action;
use bugle_render::{doctor as doctor_text, setup as text};
use bugle_wire::setup::SetupAction;

use crate::arguments_setup::{DoctorArguments, PluginCommand, SetupArguments};
use crate::output::Output;

pub(crate) fn setup(place: &Place, arguments: &SetupArguments, output: &Output) -> Result<Exit, AppError> {
    let action = match arguments {
        SetupArguments { check: true, .. } => SetupAction::Check,
        SetupArguments { remove: true, .. } => SetupAction::Remove,
        _ => SetupAction::Setup,
    };
    if action == SetupAction::Remove && !arguments.dry_run {
        let client = bugle_wire::setup::Client::from(arguments.client);
        permit_at(
            place,
            Action::RemoveSetup,
            &["setup", client.as_str(), "--remove"],
        )?;
    }
    let request = SetupRequest {
        client: arguments.client.into(),
        user: arguments.user && !arguments.project,
        action,
        dry_run: arguments.dry_run,
        instructions: arguments.instructions,
        status_line: arguments.statusline,
    };
    let view = set_up(place, &|name| std::env::var_os(name), &request)?;
    output.answer(&view, || text::view(&view))?;
    let in_order = view.files.iter().all(|file| file.state.is_in_order());
    Ok(if in_order { Exit::Done } else { Exit::Failed })
}

pub(crate) fn doctor(place: &Place, arguments: &DoctorArguments, output: &Output) -> Result<Exit, AppError> {
    let request = DoctorRequest {
        client: arguments.client.map(Into::into),
        scope: match (arguments.project, arguments.user) {
            (true, _) => DoctorScope::Project,
            (_, true) => DoctorScope::User,
            _ => DoctorScope::Any,
        },
    };
    let view = look(place, &|name| std::env::var_os(name), &request)?;
    output.answer(&view, || doctor_text::view(&view))?;
    Ok(if view.well { Exit::Done } else { Exit::Failed })
}

pub(crate) fn plugin(place: &Place, command: &PluginCommand, output: &Output) -> Result<Exit, AppError> {
    let PluginCommand::Build(arguments) = command;
    let request = PluginRequest {
        client: arguments.client.into(),
        output: arguments.output.clone(),
    };
    let view = build_plugin(place, &request)?;
    output.answer(&view, || text::plugin(&view))?;
    Ok(Exit::Done)
}
