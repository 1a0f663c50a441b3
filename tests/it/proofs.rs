//! The promises of the router, access and execution as the compiler keeps them.

#[test]
fn what_must_not_be_made_outside_its_file_does_not_compile() {
    trybuild::TestCases::new().compile_fail("tests/it/compile_fail/*.rs");
}
