//! The command line: help, errors, guide, demo and `bugle top`.

mod demo;
mod guide;
mod hostile_repository;
mod screens;
mod shell_help;
mod top;
mod troubleshooting;
