//! The program as a whole.

mod demo;
mod guide;
mod hostile_repository;
mod screens;
mod shell_help;
mod top;
mod troubleshooting;
