#!/bin/bash
# mutants.sh FOLDER PROGRAM...
#
# Runs each mutant until a history fails. Writes FOLDER/mutants.csv, with the number of that history;
# it is empty for a mutant that ZKLOCK_HISTORIES histories (3,000) do not find.
set -euo pipefail

folder=$1
shift
echo "mutant,history" > "$folder/mutants.csv"
for program in "$@"; do
  found=$("$folder/$program" --expect-failure --histories "${ZKLOCK_HISTORIES:-3000}" 2>&1 |
    sed -n 's/^history \([0-9]*\)$/\1/p' || true)
  echo "${program#deterministic_mutant_},$found" | tee -a "$folder/mutants.csv"
done
