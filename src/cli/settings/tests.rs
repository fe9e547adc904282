//! The file, the mistakes in it, where it is found, and that every option with a variable has a row.

use clap::CommandFactory;
use expect_test::expect;

use super::*;

fn parse(text: &str) -> Result<Settings, String> {
    Settings::parse(Path::new("/tree/warpsmith.toml"), text).map_err(|errors| errors.to_string())
}

#[test]
fn a_file_is_read() {
    let text =
        "# ours\ndevice = \"emu\"\n\ntarget = 'sm_90'\nptxas = \"tools/ptxas\"\nnvdisasm = \"nvdisasm\"\n";
    let settings = parse(text).unwrap();
    assert_eq!(settings.get(&DEVICE), Some("emu"));
    assert_eq!(settings.get(&TARGET), Some("sm_90"));
    assert_eq!(settings.get(&PTXAS), Some("/tree/tools/ptxas"), "from the file's folder");
    assert_eq!(settings.get(&NVDISASM), Some("nvdisasm"), "a bare name is looked for");
    assert_eq!(settings.get(&SCHEDULE), None);
    assert_eq!(settings.values.iter().find(|(key, ..)| *key == "target").unwrap().2, 4);
    assert_eq!(parse("").unwrap().values, []);
}

#[test]
fn every_mistake_is_told_with_its_line() {
    expect![[r#"
        error[W1107]: there is no setting `devcie`
         --> /tree/warpsmith.toml:1:1
          |
        1 | devcie = "emu"
          | ^
          |
          = help: did you mean `device`?
                  the settings are device, target, schedule, libcuda, ptxas, nvdisasm

        error[W1107]: `target` takes a string, not an integer
         --> /tree/warpsmith.toml:2:10
          |
        2 | target = 90
          |          ^
          |
          = help: write `target = "…"`

        error[W1107]: `schedule`: schedules are `default`, `adversarial` and `adversarial:SEED`
         --> /tree/warpsmith.toml:3:12
          |
        3 | schedule = "random"
          |            ^

        3 errors"#]]
    .assert_eq(&parse("devcie = \"emu\"\ntarget = 90\nschedule = \"random\"\n").unwrap_err());
    let syntax = parse("device = \"emu\"\ntarget = sm_90\n").unwrap_err();
    assert!(syntax.starts_with("error[W1107]: ") && syntax.contains("warpsmith.toml:2:"), "{syntax}");
    for text in
        ["device", "[device]\n", "device = \"emu\"\ndevice = \"emu\"", "\u{0}", "device = {", "ptxas = \"\""]
    {
        assert!(parse(text).is_err(), "{text:?}");
    }
}

#[test]
fn the_nearest_file_holds_up_to_the_repository_or_home() {
    let root = tempfile::tempdir().unwrap();
    let at = |name: &str| root.path().join(name);
    std::fs::create_dir_all(at("home/tree/.git")).unwrap();
    std::fs::create_dir_all(at("home/tree/src/deep")).unwrap();
    std::fs::create_dir_all(at("home/other")).unwrap();
    std::fs::write(at(FILE), "").unwrap();
    let home = at("home");
    assert_eq!(find(&at("home/other"), Some(&home)), None, "the search ends at home");
    std::fs::write(at("home/warpsmith.toml"), "").unwrap();
    assert_eq!(find(&at("home/other"), Some(&home)), Some(at("home/warpsmith.toml")));
    assert_eq!(find(&at("home/tree/src"), Some(&home)), None, "the search ends at the repository");
    std::fs::write(at("home/tree/warpsmith.toml"), "").unwrap();
    assert_eq!(find(&at("home/tree/src/deep"), Some(&home)), Some(at("home/tree/warpsmith.toml")));
    std::fs::write(at("home/tree/src/warpsmith.toml"), "").unwrap();
    assert_eq!(find(&at("home/tree/src/deep"), Some(&home)), Some(at("home/tree/src/warpsmith.toml")));
}

#[test]
fn options_fall_back_to_the_file() {
    let settings = parse("target = \"sm_80\"\nschedule = \"adversarial:7\"").unwrap();
    let command = settings.applied_to(crate::cli::Arguments::command());
    command.clone().debug_assert();
    let read = |arguments: &[&str]| {
        let matches = command.clone().try_get_matches_from(arguments).unwrap();
        let (_, matches) = matches.subcommand().unwrap();
        SETTINGS.map(|setting| settings.effective(&setting, Some(matches)))
    };
    let from_file = |line| Origin::File { path: "/tree/warpsmith.toml".into(), line };
    let [_, target, schedule, ..] = read(&["warpsmith", "doctor"]);
    // A developer's own variables are allowed to win here.
    if std::env::var_os(TARGET.variable).is_none() {
        assert_eq!(target, ("sm_80".into(), from_file(1)));
    }
    if std::env::var_os(SCHEDULE.variable).is_none() {
        assert_eq!(schedule, ("adversarial:7".into(), from_file(2)));
    }
    let [_, target, ..] = read(&["warpsmith", "doctor", "--target", "sm_90"]);
    assert_eq!(target, ("sm_90".into(), Origin::Flag));
}

#[test]
fn every_option_with_a_variable_is_in_the_table() {
    let mut seen = Vec::new();
    for command in crate::cli::Arguments::command().get_subcommands() {
        for argument in command.get_arguments().filter(|argument| argument.get_env().is_some()) {
            let variable = argument.get_env().unwrap();
            let setting = SETTINGS.iter().find(|setting| variable == setting.variable);
            let setting = setting.unwrap_or_else(|| panic!("{variable:?} has no row"));
            assert_eq!((argument.get_long(), setting.has_flag), (Some(setting.key), true));
            seen.push(setting.key);
        }
    }
    for setting in SETTINGS.iter().filter(|setting| setting.has_flag) {
        assert!(seen.contains(&setting.key), "no option reads {}", setting.variable);
    }
}
