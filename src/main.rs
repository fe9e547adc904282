//! The `warpsmith` command; everything is in `warpsmith::cli`.

fn main() -> std::process::ExitCode {
    warpsmith::cli::main()
}
