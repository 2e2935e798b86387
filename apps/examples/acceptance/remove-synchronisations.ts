/**
 * Checks a kernel of a PTX file, then the same kernel with each of its synchronisations removed,
 * one at a time. If the launch has several kernels, `--kernel` names one of them, and the file is
 * the text of all.
 *
 * npx tsx remove-synchronisations.ts kernel.ptx launch.ts [--ranks 2] [--grid 2] [--block 64]
 * [--kernel barrier] [--launches 4] [--most 5] [--lines 12,20] [--exhaustive] [--seconds 60]
 */
import { check } from '@nccl-ts/checker';
import { renderFinding, type CheckReport, type Finding, type Severity, type QuotedLocation } from '@nccl-ts/findings';
import {
  harnessProgram,
  isHarness,
  ranksToCheck,
  readPtxModule,
  translate,
  entryOf,
  type Harness,
} from '@nccl-ts/harness';
import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { synchronisations, type PtxMutant } from './synchronisations.ts';

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    ranks: { type: 'string' },
    grid: { type: 'string' },
    block: { type: 'string' },
    kernel: { type: 'string' },
    launches: { type: 'string' },
    most: { type: 'string', default: '5' },
    /** Lines of the PTX: the other synchronisations stay. */
    lines: { type: 'string' },
    exhaustive: { type: 'boolean' },
    seconds: { type: 'string' },
  },
});
const [kernelFile, launchFile] = positionals;
if (kernelFile === undefined || launchFile === undefined) throw new Error('pass a .ptx file and a launch.ts');

const described = await harnessOf(resolve(launchFile));
const harness: Harness = {
  ...described,
  ...(values.grid === undefined ? {} : { grid: Number(values.grid) }),
  ...(values.block === undefined ? {} : { block: Number(values.block) }),
  ...(values.launches === undefined ? {} : { launches: Number(values.launches) }),
};
const ranks = Number(values.ranks ?? ranksToCheck(harness)[0]);
const limit = values.seconds === undefined ? {} : { time: Number(values.seconds) };
const engine = values.exhaustive === true ? ({ strategy: 'exhaustive' } as const) : {};
const chosen = values.lines?.split(',').map(Number);
const text = readFileSync(kernelFile, 'utf8');
const wanted = entryNamed(values.kernel);
const { name } = entryOf(readPtxModule(text, kernelFile), wanted);
const source = (path: string): string | undefined => (existsSync(path) ? readFileSync(path, 'utf8') : undefined);

const original = await checked(text);
const known = new Set(original.report?.findings.map(keyOf));
const knownWarnings = new Set(original.warnings);
console.log(`${wanted} on ${ranks} ranks: ${said(original)}`);
const counts = { found: 0, around: 0, warned: 0, model: 0, hidden: 0, redundant: 0, unproven: 0 };
const selected = synchronisations(text, name).filter(({ line }) => chosen?.includes(line) ?? true);
const executed: PtxMutant[] = [];
for (const mutant of selected) if (await isReached(mutant)) executed.push(mutant);
console.log(`${executed.length} of ${selected.length} are executed`);
for (const mutant of spreadOver(executed, Number(values.most))) {
  const result = await checked(mutant.text);
  const outcome = await outcomeOf(mutant, result);
  counts[outcome]++;
  console.log(`${outcome}: ${mutant.what}, line ${mutant.line} (${mutant.places.join(' < ')}): ${mutant.instruction}`);
  console.log(`    ${said(result)}`);
}
console.log(counts);

/** The entry of the kernel with a name in the harness, or of its first. */
function entryNamed(kernel: string | undefined): string | RegExp {
  const one =
    harness.kernels === undefined
      ? harness
      : Object.entries(harness.kernels).find(([found]) => kernel === undefined || found === kernel)?.[1];
  const entry = typeof one?.entry === 'function' ? one.entry({ rank: 0, nRanks: ranks }) : one?.entry;
  if (entry === undefined) throw new Error(`the launch has no kernel ${kernel}`);
  return entry;
}

async function harnessOf(file: string): Promise<Harness> {
  const module: unknown = await import(pathToFileURL(file).href);
  const found = typeof module === 'object' && module !== null && 'default' in module ? module.default : undefined;
  if (isHarness(found)) return found;
  throw new Error(`${file} exports no harness`);
}

interface Checked {
  /** The statements of the translation, without their source locations. */
  readonly warnings: readonly string[];
  readonly report?: CheckReport;
  readonly failure?: string;
  readonly seconds: number;
  /** Of all threads of this process. */
  readonly processorSeconds: number;
}

async function checked(ptx: string): Promise<Checked> {
  const [begin, used] = [performance.now(), process.cpuUsage()];
  const end = (): Pick<Checked, 'seconds' | 'processorSeconds'> => {
    const { user, system } = process.cpuUsage(used);
    return { seconds: (performance.now() - begin) / 1000, processorSeconds: (user + system) / 1e6 };
  };
  let warnings: readonly string[] = [];
  try {
    const translated = translate(harness, ptx, { name: 'kernel.ptx', source });
    warnings = translated.warnings;
    const report = await check(
      { ranks, local: harness.local, ...engine, ...limit },
      harnessProgram(harness, translated),
    );
    return { warnings, report, ...end() };
  } catch (thrown) {
    return { warnings, failure: thrown instanceof Error ? thrown.message : String(thrown), ...end() };
  }
}

/** The new findings compared with the original, as text. */
function news({ report, failure }: Checked, severity: Severity): string {
  if (report === undefined) return failure ?? '';
  return report.findings
    .filter((finding) => finding.severity === severity && !known.has(keyOf(finding)))
    .map(textOf)
    .join('\n');
}

/** A finding, and its lines: the text names the file of the first one only. */
function textOf(finding: Finding): string {
  return [renderFinding(finding), ...finding.labels.map(({ place: location }) => lineOf(location))].join('\n');
}

async function outcomeOf(mutant: PtxMutant, result: Checked): Promise<keyof typeof counts> {
  const { places } = mutant;
  const told = news(result, 'error');
  if (told !== '') return places.some((place) => told.includes(place)) ? 'found' : 'around';
  if (result.warnings.some((warning) => !knownWarnings.has(warning))) return 'warned';
  if (news(result, 'model') !== '') return 'model';
  // The same pair of lines is one finding, so the finding of the original code hides what the
  // mutant adds.
  const before = original.report?.findings.filter(({ severity }) => severity !== 'note') ?? [];
  if (mutant.isAccess && before.some((finding) => places.slice(0, 1).some((at) => textOf(finding).includes(at))))
    return 'hidden';
  return result.report?.proves.kind === 'all schedules' ? 'redundant' : 'unproven';
}

/** A trap at its position shows if any thread reaches it. */
async function isReached({ trap }: PtxMutant): Promise<boolean> {
  const trapped = await checked(trap);
  const hasEnded = trapped.report !== undefined && trapped.report.verdict !== 'incomplete';
  return !hasEnded || news(trapped, 'error') !== '';
}

function said({ report, warnings, failure, seconds, processorSeconds }: Checked): string {
  const time = `${seconds.toFixed(1)} s (${processorSeconds.toFixed(1)} s of processor time)`;
  if (report === undefined) return `refused after ${time}: ${failure?.split('\n')[0] ?? ''}`;
  const [first] = report.findings.filter((finding) => finding.severity !== 'note' && !known.has(keyOf(finding)));
  const at = first?.labels.map(({ place: location }) => lineOf(location));
  const scope = report.proves.kind === 'all schedules' ? 'all schedules' : report.proves.kind;
  const warned = warnings.find((warning) => !knownWarnings.has(warning))?.split('\n')[0];
  return `${report.verdict} (${scope}), ${time}${warned === undefined ? '' : `; ${warned}`}${first === undefined ? '' : `; ${first.severity} ${first.kind} at ${at?.join(', ')}: ${first.message}`}`;
}

function lineOf(location: QuotedLocation | undefined): string {
  if (location === undefined) return 'the host';
  const { file, line } = location.location ?? { file: location.source, line: location.line };
  return `${file.split('/').at(-1)}:${line}`;
}

function keyOf({ kind, severity, labels }: Finding): string {
  return [kind, severity, ...labels.map(({ place: location }) => lineOf(location)).toSorted()].join(' ');
}

/** Selects this many of them, evenly from all kinds. */
function spreadOver(all: readonly PtxMutant[], most: number): readonly PtxMutant[] {
  if (all.length <= most) return all;
  return Array.from({ length: most }, (_, i) => all[Math.floor((i * all.length) / most)]).flatMap((one) => one ?? []);
}
