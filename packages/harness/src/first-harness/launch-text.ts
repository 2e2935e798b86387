import type { DevCommRequirements } from '@nccl-ts/devcomm';
import type { EntryFacts } from './entry-facts.ts';
import type { LaunchPlan, PlannedExpectation, PlannedFill, PlannedMemory } from './launch-plan.ts';
import { PLANNED_COUNT } from './launch-plan.ts';

const WIDTH = 100;

/** The text of a module that launches an entry as planned. */
export function launchText(
  plan: LaunchPlan,
  { title, shortTitle }: Pick<EntryFacts, 'title' | 'shortTitle'>,
  kernelFile: string,
): string {
  const { memory, args, statements, expect } = plan;
  const imports = new Set([
    'harness',
    ...memory.map(({ element }) => element),
    ...args.flatMap((one) => one.imports),
    ...statements.flatMap((one) => one.imports),
    ...plan.definitions.flatMap((text) =>
      [...text.matchAll(/\b(?:struct|array|bytes|ptr|[uif]\d+)\b(?=[(,)])/gu)].map(([word]) => word),
    ),
  ]);
  const lines = [
    ...memory.map(memoryText),
    ...statements.map(({ text }) => text),
    'return {',
    ...argumentLines(plan).map((line) => `  ${line}`),
    ...expectLines(expect).map((line) => `  ${line}`),
    '};',
  ];
  const code = lines.filter((line) => !line.trim().startsWith('//')).join('\n');
  if (/\bn\b/u.test(code.replaceAll(/'[^']*'/gu, ''))) lines.unshift(`const n = ${PLANNED_COUNT};`);
  const names = ['rank', 'ranks', 'nRanks', 'alloc', 'peer', 'peers', 'sum', 'multicast', 'devComm'].filter((name) =>
    new RegExp(`\\b${name}\\b(?!:)`, 'u').test(code.replaceAll(/'[^']*'/gu, '')),
  );
  const isWhole = /\(setup, /u.test(code);
  const given = names.length === 0 ? '' : `{ ${names.join(', ')} }`;
  const body = isWhole && names.length > 0 ? [`const ${given} = setup;`, ...lines] : lines;
  return [
    `import { ${[...imports].toSorted().join(', ')} } from '@nccl-ts/harness';`,
    '',
    ...plan.definitions.flatMap((text) => [text, '']),
    `/** Launches ${title}. */`,
    'export default harness({',
    `  kernel: ${quoted(kernelFile)},`,
    `  entry: ${quoted(shortTitle)},`,
    ...fields(plan, kernelFile).map((line) => `  ${line}`),
    `  setup(${isWhole ? 'setup' : given}) {`,
    ...body.flatMap((line) => line.split('\n')).map((line) => (line === '' ? '' : `    ${line}`)),
    '  },',
    '});',
    '',
  ].join('\n');
}

function fields(plan: LaunchPlan, kernelFile: string): readonly string[] {
  const { ranks, grid, block, launches, dynamicShared, callsHeaders, devComm } = plan;
  return [
    ...(ranks === undefined
      ? ['// If the kernel fixes the number of ranks, write ranks: 2. Otherwise a check runs 2, 3 and 4.']
      : [`ranks: ${ranks},`]),
    '// CTAs of each rank, and threads of each CTA: as few as use every barrier and flag of the kernel.',
    `grid: ${extentText(grid)},`,
    `block: ${extentText(block)},`,
    ...(dynamicShared === undefined
      ? []
      : ['// Bytes of extern __shared__ memory.', `dynamicShared: ${dynamicShared},`]),
    '// Launches one after the other, so that state left by one affects the next.',
    `launches: ${launches},`,
    ...(callsHeaders && kernelFile.endsWith('.cu')
      ? ['// The headers of NCCL and NVSHMEM that nccl-ts knows.', 'standIn: true,']
      : []),
    ...(devComm === undefined
      ? []
      : [
          '// What your host requires of the device communicator. Pass an allocation for a window.',
          `devComm: ${requirementsText(devComm)},`,
        ]),
    ...(plan.probe === undefined ? [] : [`// ${plan.probe}`]),
  ];
}

function requirementsText(requirements: DevCommRequirements): string {
  const texts = Object.entries(requirements).map(
    ([name, value]) => `${name}: ${typeof value === 'string' ? quoted(value) : String(value)}`,
  );
  return texts.length === 0 ? '{}' : `{ ${texts.join(', ')} }`;
}

function extentText(extent: LaunchPlan['grid']): string {
  return typeof extent === 'number' ? String(extent) : `{ x: ${extent.x}, y: ${extent.y}, z: ${extent.z} }`;
}

function memoryText({ name, element, sizes, size, fill }: PlannedMemory): string {
  if (typeof fill === 'object') return `const ${name} = alloc('${name}', ptr, peers(${fill.peersOf}));`;
  const values = fillText(fill);
  return `const ${name} = alloc('${name}', ${element}, ${sizes[size]?.text ?? 'n'}${values === '' ? '' : `, ${values}`});`;
}

function fillText(fill: Exclude<PlannedFill, object>): string {
  if (fill === 'zero') return '';
  return fill === 'bits' ? '(i) => i % 2' : '(i) => rank + (i % 8)';
}

function argumentLines({ args, signature, memory, isProbed, standIn }: LaunchPlan): readonly string[] {
  // The value with which a probe run has ended is a candidate.
  const texts = args.map(({ text }) =>
    isProbed === true ? text.replace(/^(todo\('(?!whose)[^']*')\)$/u, `$1, ${standIn.text})`) : text,
  );
  const isEach = texts.some((text) => /\blaunch\b/u.test(text));
  const open = isEach ? 'args: (launch) => [' : 'args: [';
  const oneLine = `${open}${texts.join(', ')}],`;
  const isShort =
    oneLine.length + 6 <= WIDTH && !oneLine.includes('\n') && !texts.some((text) => text.includes('todo('));
  const lines = isShort
    ? [oneLine]
    : [open, ...texts.flatMap((text) => `${text},`.split('\n')).map((line) => `  ${line}`), '],'];
  const isOwned = memory.length > 0 && texts.some((text) => text.startsWith("todo('whose memory'"));
  return [
    ...(signature === undefined ? [] : wrapped(`(${signature})`)),
    ...(isOwned ? ["// Write data for this rank's own memory, or peer(data, r) for that of rank r."] : []),
    ...lines,
  ];
}

/** Comment lines of a text. */
function wrapped(text: string): readonly string[] {
  const lines: string[] = [];
  let line = '//';
  for (const word of text.split(' ')) {
    if (line.length + word.length + 7 > WIDTH && line !== '//') {
      lines.push(line);
      line = '//';
    }
    line += ` ${word}`;
  }
  return [...lines, line];
}

function expectLines(expect: readonly PlannedExpectation[]): readonly string[] {
  if (expect.length === 0) {
    return ['// The results, with sum from setup: expect: () => out.equals((i) => sum((r) => r + (i % 8))),'];
  }
  const texts = expect.map(
    ({ memory, values, options }) =>
      `${memory}.equals(${/\bi\b/u.test(values) ? '(i)' : '()'} => ${values}${options === undefined ? '' : `, ${options}`})`,
  );
  const note = '// The probe run left these results. Is that what the kernel is for?';
  return [note, texts.length === 1 ? `expect: () => ${texts.join('')},` : `expect: () => [${texts.join(', ')}],`];
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
