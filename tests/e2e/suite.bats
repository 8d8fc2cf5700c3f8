#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# What the tests say of themselves.

# What breaks it: test_p11_values.c without the status 77, or watch.c without its line.
@test "without the standard's tables nobody is told that values were compared" {
	[ -x "$CHANCERY_BUILD_DIR/tests/p11/p11_test_p11_values" ] || skip "there are no C tests"
	export CHANCERY_REF=$BATS_TEST_TMPDIR/nowhere
	run "$CHANCERY_BUILD_DIR/tests/p11/p11_test_p11_values"
	[ "$status" -eq 77 ]
	run "$CHANCERY_BUILD_DIR/tests/p11/p11_test_p11_iface"
	[ "$status" -eq 0 ]
	[ "$(grep -c "not compared with the standard's lists" <<<"$output")" -eq 1 ]
}
