import { markdownTable, type Fidelity, type FidelityRow } from '@nccl-ts/core';
import {
  absentLaneFidelity,
  activeMaskFidelity,
  atomicFidelity,
  collectiveFidelity,
  expressionFidelity,
  loadBufferingFidelity,
  mathFidelity,
  nonCoherentFidelity,
  statementFidelity,
} from '@nccl-ts/ir';
import { callFidelities } from '@nccl-ts/harness';
import { worldFidelity } from '@nccl-ts/backend-sim';
import { directiveFidelities, instructionFidelities, registerFidelities } from '@nccl-ts/ptx';

/** A group of constructs on the page. */
interface FidelityGroup {
  readonly title: string;
  readonly rows: readonly FidelityRow[];
}

/** The whole ledger: every construct that a kernel or a program can use. */
export function fidelityGroups(): readonly FidelityGroup[] {
  return [
    { title: 'Instructions of PTX', rows: instructionFidelities() },
    { title: 'Special registers of PTX', rows: registerFidelities() },
    { title: 'Directives of PTX entries', rows: directiveFidelities() },
    { title: 'Calls of the stand-in headers', rows: callFidelities() },
    { title: 'Statements', rows: rowsOf(statementFidelity) },
    { title: 'Exchanges between threads', rows: rowsOf(collectiveFidelity) },
    { title: 'Atomic operations', rows: rowsOf(atomicFidelity) },
    { title: 'Expressions', rows: rowsOf(expressionFidelity) },
    { title: 'Functions', rows: rowsOf(mathFidelity) },
    { title: 'Calls of a backend', rows: rowsOf(worldFidelity) },
    {
      title: 'Orders between statements',
      rows: [
        { construct: 'a relaxed store after a used load', fidelity: loadBufferingFidelity },
        { construct: 'ld.global.nc of stored bytes', fidelity: nonCoherentFidelity },
        { construct: 'lanes after a branch', fidelity: activeMaskFidelity },
        { construct: 'a shuffle from a lane that has ended, or is not in the mask', fidelity: absentLaneFidelity },
      ],
    },
  ];
}

/** The page `docs/reference/fidelity.md`. */
export function fidelityPage(): string {
  const parts = fidelityGroups().map(({ title, rows }) => {
    const cells = rows.map(({ construct, fidelity }) => [`\`${construct}\``, fidelity.kind, detailOf(fidelity)]);
    return `## ${title}\n\n${markdownTable(['construct', 'fidelity', 'how, or the test that shows it'], cells)}`;
  });
  return `${introduction}\n${parts.join('\n\n')}\n`;
}

const introduction = `# Fidelity

How closely the simulator and the checker follow each construct of kernels and host programs. A
check collects what it has executed. Its verdict speaks of every schedule only if all of that is
exact; otherwise it names the approximations, with their lines.

- **exact**: it does what its specification says. The test fails if it does not.
- **approximate**: machines may do something else. It _misses_ behaviour, _invents_ behaviour, or
  _rounds_: a result may differ in its last bits. No order depends on rounding, so verdicts do not
  name it.
- **opaque**: the values that it computes are unknown. With a test, the memory that it reads and
  writes is known, and verdicts name it. Without one nothing is known of it, so it is refused.

The page is made from the tables in the code. A construct without a row does not compile, or is
refused.
`;

function rowsOf(table: Readonly<Record<string, Fidelity>>): readonly FidelityRow[] {
  return Object.entries(table).map(([construct, fidelity]) => ({ construct, fidelity }));
}

function detailOf(fidelity: Fidelity): string {
  switch (fidelity.kind) {
    case 'exact':
      return `\`${fidelity.test}\``;
    case 'approximate':
      return `${fidelity.how} (${fidelity.errs})`;
    case 'opaque':
      return fidelity.test === undefined ? fidelity.why : `${fidelity.why} (\`${fidelity.test}\`)`;
  }
}
