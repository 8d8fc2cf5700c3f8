#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A power cut after each single thing that is done to a file, and without each barrier.
exec env CUTS=0 FAT_CUTS=400 BARRIERS="journal file dir roll index state rolldir" bash "$(dirname "$0")/powercut_roll.sh"
