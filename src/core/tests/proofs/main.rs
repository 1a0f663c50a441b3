//! Programs that try to forge a permit, a receipt or text for the model: none of them compiles.

#[test]
fn what_must_not_be_made_outside_its_file_does_not_compile() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("tests/proofs/compile_fail/*.rs");
    // These could not run either; here it is the words of the compiler that count.
    cases.compile_fail("tests/proofs/explained/*.rs");
}
