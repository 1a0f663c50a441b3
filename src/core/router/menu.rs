//! Routes user and message context-menu commands.

use crate::contract::CommandKind;
use crate::inbound::{CommandPath, CommandType, Interaction};
use crate::registry::NameLookup;
use crate::router::arguments::check_arguments;
use crate::router::{Invocation, Route, Unavailable, Unknown, UnknownKind};

/// Routes a context-menu command. Its target becomes the handler's only argument.
pub(super) fn route(interaction: &Interaction, menu: CommandType, names: &dyn NameLookup) -> Route {
    let name = interaction.path.join(" ");
    let refused = |kind: UnknownKind| {
        let received = name.clone();
        let looked_up = name.clone();
        let near = Vec::new();
        let method = interaction.method;
        Route::UnknownCommand(Unknown { received, looked_up, kind, near, method })
    };
    let Some(command) = names.registry().menu(menu, &name) else {
        return match names.registry().quarantined_menu(menu, &name) {
            Some(command) => {
                let module = command.module.clone();
                let code = command.code();
                Route::Unavailable(Unavailable { command_type: menu, name, module, code })
            }
            None => refused(UnknownKind::ContextMenuCommand),
        };
    };
    let CommandKind::Leaf(leaf) = &command.kind else { return refused(UnknownKind::ContextMenuCommand) };
    let mut arguments = interaction.arguments.clone();
    // Without a target it came from a component or modal, whose arguments contain the target.
    if let (Some(target), [only]) = (&interaction.target, leaf.options.as_slice()) {
        arguments.insert(only.name.clone(), target.clone());
    }
    if let Err(problem) = check_arguments(leaf, &arguments, interaction.caller.language) {
        return refused(UnknownKind::Stale { problem });
    }
    Route::Command(Invocation {
        event: interaction.id,
        caller: interaction.caller.clone(),
        place: interaction.place,
        method: interaction.method,
        path: CommandPath::at(menu, &[&name]),
        arguments,
    })
}
