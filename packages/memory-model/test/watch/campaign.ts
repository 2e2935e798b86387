import { randomProgram } from '../oracle/random-program.ts';
import { compareSchedules, faultText, hasRacySchedule } from './compare-schedules.ts';

// Compares the watching engine with the axioms on schedules of random programs: `tsx campaign.ts
// [programs] [first seed] [schedules]`. The oracle checks every fourth program, and those in which
// the engine found no race.
const print = (line: string): void => void process.stdout.write(`${line}\n`);
const [count = 100_000, first = 0, schedules = 6] = process.argv.slice(2).map(Number);
const began = Date.now();
const total = {
  faulty: 0,
  racy: 0,
  found: 0,
  rare: 0,
  stale: 0,
  unknown: 0,
  racySchedules: 0,
  wholly: 0,
  silent: 0,
  excused: 0,
};
for (let seed = first; seed < first + count; seed++) {
  const program = randomProgram(seed);
  const comparison = compareSchedules(program, seed, schedules, seed % 4 === 0 ? 'always' : 'if clean');
  const text = faultText(program, comparison);
  if (text !== undefined && total.faulty++ < 20) print(`seed ${seed}: ${text}\n`);
  total.racySchedules += comparison.racySchedules;
  total.wholly += comparison.wholly;
  total.silent += comparison.silent;
  total.excused += comparison.excused;
  if (comparison.racy) {
    total.racy++;
    if (comparison.found) total.found++;
    else {
      const has = hasRacySchedule(program, 20_000);
      if (has === true) total.rare++;
      else if (has === false) total.stale++;
      else total.unknown++;
    }
  }
  const done = seed + 1 - first;
  if (done % 5000 === 0 || done === count) {
    print(
      `${done} programs from seed ${first}, ${Math.round((Date.now() - began) / 1000)} s: ${JSON.stringify(total)}`,
    );
  }
}
process.exitCode = total.faulty === 0 ? 0 : 1;
