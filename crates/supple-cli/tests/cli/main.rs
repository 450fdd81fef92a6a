//! The binary as people and programs use it.

mod bad_input;
mod bench;
mod contact;
mod dynamics;
mod help;
mod pipe;
mod record;
mod run;
mod scene_files;
mod signals;
mod supple;
mod view;
mod viewing;
mod worlds;
