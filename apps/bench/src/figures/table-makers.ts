import type { JsonValue } from './json-value.ts';
import { besidePeers, normBesidePeers } from './peer-tables.ts';
import { pythonLaunchers, pythonTimes } from './python-tables.ts';
import { beside, bestOfNccl, errorsOf, microseconds, row, rule, sizeText, typicalOf } from './table-text.ts';

/** Makes the lines of a README's table from a results file. */
export type TableMaker = (results: JsonValue, file: string) => readonly string[];

/** The makers by the name in the README. */
export const tableMakers: Readonly<Record<string, TableMaker>> = Object.freeze({
  'beside-nccl': besideNccl,
  'beside-copy': besideCopy,
  'beside-peers': besidePeers,
  conformance,
  'emitted-kernel': emittedKernel,
  'kernel-beside-copy': kernelBesideCopy,
  pausing,
  predicted,
  'predicted-algorithms': predictedAlgorithms,
  'public-kernels': publicKernels,
  'mended-public-kernels': mendedPublicKernels,
  'what-ifs': whatIfs,
  relaxed: relaxedKernels,
  'before-and-after': beforeAndAfter,
  'nccl-estimate': ncclEstimate,
  'predicted-examples': predictedExamples,
  lines: linesWithFlags,
  'norm-beside-peers': normBesidePeers,
  racy,
  tracing,
  'python-times': pythonTimes,
  'python-launchers': pythonLaunchers,
});

/** A table in microseconds: ours, NCCL's best, and the ratio. */
function besideNccl(results: JsonValue): readonly string[] {
  const programs: Readonly<Record<string, string>> = {
    all_reduce: 'AllReduce',
    alltoall: 'AlltoAll',
    all_gather: 'AllGather',
    reduce_scatter: 'ReduceScatter',
  };
  const rows = results.at('rows').list;
  const sizes = [...new Set(rows.map((one) => one.at('bytes').number))];
  const gpus = new Set(rows.map((one) => one.at('gpus').number));
  const cell = (program: string, bytes: number): string => {
    const found = rows.find((one) => one.at('program').text === program && one.at('bytes').number === bytes);
    if (found === undefined) return '';
    return beside(typicalOf(found, 'own'), bestOfNccl(found));
  };
  return [
    row([`${[...gpus].join(', ')} GPUs`, ...Object.values(programs)]),
    rule(1 + Object.keys(programs).length),
    ...sizes.map((bytes) => row([sizeText(bytes), ...Object.keys(programs).map((program) => cell(program, bytes))])),
  ];
}

/** A predicted time divided by the measured one. */
function factorOf(one: JsonValue): number {
  return one.at('us').number / one.at('measuredUs').number;
}

/**
 * A table in microseconds: predicted, measured, and the error. The last row has the errors of a
 * program.
 */
function predicted(results: JsonValue): readonly string[] {
  const rows = results.at('rows').list.filter((one) => one.at('contender').text === 'own');
  const programs = [...new Set(rows.map((one) => one.at('program').text))];
  const sizes = [...new Set(rows.map((one) => one.at('bytes').number))];
  const of = (program: string, bytes: number): JsonValue | undefined =>
    rows.find((one) => one.at('program').text === program && one.at('bytes').number === bytes);
  const comparable = rows.filter((one) => one.at('hasChanged').value === false);
  // The profile's name begins with the card: h200-nvlink4.
  const card = results.at('machine').at('name').text.split('-')[0]?.toUpperCase();
  const gpus = `${[...new Set(rows.map((one) => one.at('gpus').number))].join(', ')} ${card}`;
  const errors = (program: string): string => {
    const those = comparable.filter((one) => one.at('program').text === program).map(factorOf);
    return those.length === 0 ? 'not measured' : errorsOf(those);
  };
  return [
    row([`predicted / measured, us`, ...programs]),
    rule(1 + programs.length),
    ...sizes.map((bytes) =>
      row([
        `${gpus}, ${sizeText(bytes)}`,
        ...programs.map((program) => {
          const one = of(program, bytes);
          if (one === undefined) return '';
          if (!one.at('measuredUs').present) return microseconds(one.at('us').number);
          const times = `${microseconds(one.at('us').number)} / ${microseconds(one.at('measuredUs').number)}`;
          return one.at('hasChanged').value === true
            ? `${times}, changed since`
            : `${times} = ${factorOf(one).toFixed(2)}`;
        }),
      ]),
    ),
    row([`${gpus}, geometric mean`, ...programs.map(errors)]),
  ];
}

/** The same for each measured algorithm and launch, and the errors of all of them. */
function predictedAlgorithms(results: JsonValue): readonly string[] {
  const rows = results
    .at('rows')
    .list.filter((one) => one.at('contender').text !== 'own' && one.at('measuredUs').present);
  return predictedBySize(rows, (one) => `${one.at('program').text} ${one.at('contender').text}`);
}

/** Published kernels by size: predicted and measured. */
function publicKernels(results: JsonValue): readonly string[] {
  const rows = results.at('rows').list;
  const lines = predictedBySize(rows, (one) => one.at('kernel').text);
  const sizes = new Set(rows.map((one) => one.at('bytes').number)).size;
  // Without parts, no kernel was held out yet.
  return [
    ...lines,
    ...['used', 'held out'].flatMap((part) => {
      const those = rows.filter((one) => one.at('part').present && one.at('part').text === part);
      if (those.length === 0) return [];
      const errors = errorsOf(those.map((one) => one.at('us').number / one.at('measuredUs').number));
      return [
        row([`${those.length} of kernels that were ${part}`, ...Array.from({ length: sizes }, () => ''), errors]),
      ];
    }),
  ];
}

/** Published kernels: the errors of the first predictions, and of those by the mended model. */
function mendedPublicKernels(results: JsonValue): readonly string[] {
  const rows = results.at('rows').list;
  const errors = (those: readonly JsonValue[], name: 'firstUs' | 'us'): string =>
    errorsOf(those.map((one) => one.at(name).number / one.at('measuredUs').number));
  const line = (name: string, those: readonly JsonValue[], part: string): string =>
    row([name, part, String(those.length), errors(those, 'firstUs'), errors(those, 'us')]);
  const names = [...new Set(rows.map((one) => one.at('kernel').text))];
  const parts = ['used', 'held out'] as const;
  return [
    row(['kernel', 'in the mends', 'cells', 'first prediction', 'after the mends']),
    rule(5),
    ...parts.flatMap((part) =>
      names.flatMap((name) => {
        const those = rows.filter((one) => one.at('kernel').text === name);
        return those[0]?.at('part').text === part ? [line(name, those, part)] : [];
      }),
    ),
    ...parts.map((part) => {
      const those = rows.filter((one) => one.at('part').text === part);
      return line(`all that were ${part}`, those, part);
    }),
    line('all', rows, ''),
  ];
}

/** The savings of changed kernels: predicted and measured. */
function whatIfs(results: JsonValue): readonly string[] {
  const rows = results.at('rows').list;
  return [
    row(['kernel', 'change', 'bytes', 'predicted saving, us', 'measured saving, us']),
    rule(5),
    ...rows.map((one) =>
      row([
        one.at('kernel').text,
        one.at('change').text,
        sizeText(one.at('bytes').number),
        one.at('us').number.toFixed(2),
        one.at('measuredUs').number.toFixed(2),
      ]),
    ),
  ];
}

/** The savings of relaxed texts: predicted, and measured in short and in long graphs. */
function relaxedKernels(results: JsonValue): readonly string[] {
  const rows = results.at('rows').list;
  const us = (one: JsonValue, name: string): string => one.at(name).number.toFixed(2);
  return [
    row(['kernel', 'bytes', 'predicted, us', 'saved', 'measured, 20 calls', 'measured, 160 calls', 'of']),
    rule(7),
    ...rows.map((one) =>
      row([
        one.at('kernel').text,
        sizeText(one.at('bytes').number),
        us(one, 'us'),
        us(one, 'savedUs'),
        us(one, 'measuredUs'),
        us(one, 'measuredLongUs'),
        us(one, 'longUs'),
      ]),
    ),
  ];
}

/** The times of one kernel before and after a change, from alternating runs. */
function beforeAndAfter(results: JsonValue): readonly string[] {
  const rows = results.at('rows').list;
  return [
    row(['kernel', ...rows.map((one) => sizeText(one.at('bytes').number))]),
    rule(1 + rows.length),
    ...['beforeUs', 'afterUs'].map((name) =>
      row([
        `${results.at('kernel').text}, ${name === 'beforeUs' ? 'before' : 'after'}, us`,
        ...rows.map((one) => one.at(name).number.toFixed(2)),
      ]),
    ),
  ];
}

function predictedBySize(rows: readonly JsonValue[], nameOf: (one: JsonValue) => string): readonly string[] {
  const sizes = [...new Set(rows.map((one) => one.at('bytes').number))].toSorted((a, b) => a - b);
  const names = [...new Set(rows.map(nameOf))];
  return [
    row(['predicted / measured, us', ...sizes.map(sizeText), 'geometric mean']),
    rule(2 + sizes.length),
    ...names.map((name) => {
      const those = rows.filter((one) => nameOf(one) === name);
      return row([
        name,
        ...sizes.map((bytes) => {
          const one = those.find((each) => each.at('bytes').number === bytes);
          return one === undefined
            ? ''
            : `${microseconds(one.at('us').number)} / ${microseconds(one.at('measuredUs').number)}`;
        }),
        errorsOf(those.map(factorOf)),
      ]);
    }),
    row([`all ${rows.length}`, ...sizes.map(() => ''), errorsOf(rows.map(factorOf))]),
  ];
}

/** The kernels of the examples: predicted, measured, and the first divided by the second. */
function predictedExamples(results: JsonValue): readonly string[] {
  const rows = results.at('rows').list;
  return [
    row(['example, 2 GPUs', 'predicted / measured, us']),
    rule(2),
    ...rows.map((one) => row([one.at('example').text, beside(one.at('us').number, one.at('measuredUs').number)])),
    row(['geometric mean', errorsOf(rows.map(factorOf))]),
  ];
}

/** `ll128`, the default selection, and NCCL's best, in microseconds. */
function linesWithFlags(results: JsonValue): readonly string[] {
  const rows = results.at('rows').list;
  const sizes = [...new Set(rows.map((one) => one.at('bytes').number))].toSorted((a, b) => a - b);
  const calls = [...new Set(rows.map((one) => `${one.at('program').text}, ${one.at('type').text}`))];
  const times = (one: JsonValue): string =>
    [typicalOf(one, 'll128:264:256'), typicalOf(one, 'own'), bestOfNccl(one)].map(microseconds).join(' / ');
  const cell = (call: string, bytes: number): string => {
    const isThat = (one: JsonValue): boolean => `${one.at('program').text}, ${one.at('type').text}` === call;
    const found = rows.find((one) => isThat(one) && one.at('bytes').number === bytes);
    return found === undefined ? '' : times(found);
  };
  return [
    row(['us: `ll128` / default / NCCL', ...calls]),
    rule(1 + calls.length),
    ...sizes.map((bytes) => row([sizeText(bytes), ...calls.map((call) => cell(call, bytes))])),
  ];
}

/** NCCL's estimates of its own collectives (`estimatedTime`), and the measured times. */
function ncclEstimate(results: JsonValue): readonly string[] {
  const rows = results.at('rows').list.filter((one) => one.at('measuredUs').present);
  const programs = [...new Set(rows.map((one) => one.at('program').text))];
  const sizes = [...new Set(rows.map((one) => one.at('bytes').number))];
  const times = (one: JsonValue): readonly [number, number] => [
    one.at('estimatedUs').number,
    one.at('measuredUs').number,
  ];
  const cell = (program: string, bytes: number): string => {
    const found = rows.find((one) => one.at('program').text === program && one.at('bytes').number === bytes);
    return found === undefined ? '' : beside(...times(found));
  };
  const errors = (program: string): string => {
    const those = rows.filter((one) => one.at('program').text === program).map(times);
    return errorsOf(those.map(([estimated, measured]) => estimated / measured));
  };
  return [
    row(['NCCL, estimated / measured, us', ...programs]),
    rule(1 + programs.length),
    ...sizes.map((bytes) => row([sizeText(bytes), ...programs.map((program) => cell(program, bytes))])),
    row(['geometric mean', ...programs.map(errors)]),
  ];
}

/** The GPU time of a plain copy of the same bytes, as a fraction of the collective's time. */
function besideCopy(results: JsonValue): readonly string[] {
  const lines = results.at('speed').list;
  const numbers = (name: string): readonly number[] => [...new Set(lines.map((one) => one.at(name).number))];
  const sizes = numbers('bytes').filter((bytes) => bytes >= 16 << 20);
  const columns = numbers('ranks').flatMap((ranks) => sizes.map((bytes) => ({ ranks, bytes })));
  const collectives = [...new Set(lines.map((one) => one.at('collective').text))];
  return [
    row(['of the copy', ...columns.map(({ ranks, bytes }) => `${ranks} ranks, ${sizeText(bytes)}`)]),
    rule(1 + columns.length),
    ...collectives.map((collective) =>
      row([
        collective,
        ...columns.map(({ ranks, bytes }) => {
          const found = lines.find(
            (one) =>
              one.at('collective').text === collective &&
              one.at('ranks').number === ranks &&
              one.at('bytes').number === bytes,
          );
          return found === undefined ? '' : found.at('ofCopy').number.toFixed(2);
        }),
      ]),
    ),
  ];
}

/** From `bench graph`: an AllReduce that the backend emits, the same by hand, and NCCL's. */
function emittedKernel(results: JsonValue): readonly string[] {
  const graphs = results
    .at('findings')
    .list.filter((one) => one.at('part').value === 'graph' && one.at('ratio').present);
  return [
    row(['bytes', 'GPUs', 'emitted / by hand = ratio', '`ncclAllReduce`']),
    rule(4),
    ...graphs.map((one) => {
      const [emitted, hand] = [one.at('emittedUs').number, one.at('handWrittenUs').number];
      return row([
        sizeText(one.at('bytes').number),
        String(one.at('ranks').number),
        `${microseconds(emitted)} / ${microseconds(hand)} us = ${one.at('ratio').number.toFixed(3)}`,
        `${microseconds(one.at('ncclAllReduceUs').number)} us`,
      ]);
    }),
  ];
}

/** From `webgpu bandwidth`: an AllReduce of all ranks, and a plain copy. */
function kernelBesideCopy(results: JsonValue): readonly string[] {
  const cells = (one: JsonValue | undefined): readonly string[] =>
    one === undefined
      ? ['', '']
      : [
          `${microseconds(one.at('microseconds').number)} us, ${one.at('gbPerSecond').number.toFixed(0)} GB/s`,
          one.at('ratio').number.toFixed(2),
        ];
  const unchecked = results.at('unchecked').at('rows').list;
  return [
    row(['loads', 'grid x block', '`checks: true`', 'of the copy', '`checks: false`', 'of the copy']),
    rule(6),
    ...results
      .at('checked')
      .at('rows')
      .list.map((one, i) => {
        const loads = one.at('allReduce').text === 'vector' ? '16 bytes at a time' : '4 bytes at a time';
        return row([
          loads,
          `${one.at('grid').number} x ${one.at('block').number}`,
          ...cells(one),
          ...cells(unchecked[i]),
        ]);
      }),
  ];
}

/** The totals of a run of the conformance suite, and the number of its cases. */
function conformance(results: JsonValue, file: string): readonly string[] {
  const cases = new Set(results.at('verdicts').names);
  const unsupported = results.at('unsupported');
  for (const reason of unsupported.present ? unsupported.names : []) {
    for (const one of unsupported.at(reason).list) cases.add(one.text);
  }
  const counts = results.at('summary').at('counts');
  const counted = counts.names.map((name) => `${counts.at(name).number} ${name}`).join(', ');
  return [
    row(['file', 'taken', 'cases that it covers', 'runs', "bytes beside the simulator's"]),
    rule(5),
    row([
      `\`${file.replace(/^.*\/results\//, 'results/')}\``,
      results.at('date').text,
      String(cases.size),
      counted,
      compared(results.at('summary')),
    ]),
  ];
}

/** The number of runs whose bytes were all compared, and the number of those with differences. */
function compared(summary: JsonValue): string {
  if (!summary.at('compared').present) return 'not compared';
  const parts = [`${summary.at('compared').number} compared`, `${summary.at('differing').number} differ`];
  for (const [name, words] of [
    ['differingByOrder', 'by the order of atomic additions'],
    ['differingInBound', 'within the bound of `math.*`'],
  ] as const) {
    if (summary.at(name).present) parts.push(`${summary.at(name).number} ${words}`);
  }
  return parts.join(', ');
}

function racy(results: JsonValue): readonly string[] {
  return [
    row(['program', 'verdict', 'until the first report, median', 'bar', 'memory']),
    rule(5),
    ...results.at('rows').list.map((one) => {
      const seconds = one.at('seconds').at('median').number.toFixed(1);
      const memory = `${one.at('mebibytes').number.toFixed(0)} MiB`;
      return row([one.at('program').text, one.at('verdict').text, `${seconds} s`, `${one.at('bar').number} s`, memory]);
    }),
  ];
}

/** Seconds of CPU time of two calls, in simulated time and in run mode. */
function tracing(results: JsonValue): readonly string[] {
  return [
    row(['two calls on two ranks', 'size', 'traced', 'run mode', 'ratio']),
    rule(5),
    ...results.at('rows').list.map((one) => {
      const [traced, run] = [one.at('traced').number, one.at('run').number];
      const what = `AllReduce, \`${one.at('contender').text}\``;
      const times = [`${traced.toFixed(2)} s`, `${run.toFixed(2)} s`, (traced / run).toFixed(2)];
      return row([what, sizeText(one.at('bytes').number), ...times]);
    }),
  ];
}

function pausing(results: JsonValue): readonly string[] {
  const ratio = (one: JsonValue): string => {
    const [low, high] = one.at('quartiles').list.map((quartile) => quartile.number.toFixed(2));
    return `${one.at('median').number.toFixed(2)} (${low} to ${high})`;
  };
  return [
    row(['kernel', 'engine', 'CPU time without pauses', 'with pauses, as a multiple', 'control']),
    rule(5),
    ...results.at('rows').list.map((one) => {
      const unpaused = `${one.at('milliseconds').at('unpaused').number.toFixed(1)} ms`;
      return row([one.at('kernel').text, one.at('engine').text, unpaused, ratio(one), ratio(one.at('control'))]);
    }),
  ];
}
