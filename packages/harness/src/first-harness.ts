import { at } from '@nccl-ts/core';
import { customAllReduceHarness, customAllReduceLaunch } from './custom-all-reduce-harness.ts';
import type { EntryFacts, ParameterFacts } from './entry-facts.ts';
import { COUNT, knownArguments, ownersText, ownerTodo, parameterNames, standInDevComm } from './known-arguments.ts';
import type { ParameterWord } from './parameter-words.ts';

/**
 * Writes a module that launches an entry, for users to complete. It type-checks unchanged, and its
 * comments explain the arguments. A value that only the author of the kernel knows is a `todo`, at
 * which a launch ends.
 */
export function firstHarness(facts: EntryFacts, kernelFile: string): string {
  const launch = customAllReduceLaunch(facts);
  if (launch !== undefined) return customAllReduceHarness(facts, launch, quoted(kernelFile), quoted(facts.title));
  const known = knownArguments(facts);
  const names = parameterNames(facts);
  const structs = facts.parameters.filter(({ isStruct }, i) => isStruct && !known.has(i));
  const used = new Set(['harness']);
  const type = (name: string): string => {
    used.add(name);
    return name;
  };
  const definitions = structs.map((parameter) => structText(parameter, facts.parameters.indexOf(parameter), type));
  const memory: string[] = [];
  const args = facts.parameters.flatMap((parameter, i) => {
    const ready = known.get(i);
    if (ready === undefined) return argumentText(parameter, { index: i, name: at(names, i) }, memory, type);
    ready.imports.forEach(type);
    memory.push(...ready.memory);
    const title = parameter.declared === undefined ? '' : `, ${parameter.declared.name}`;
    return [`// ${i}${title}, from byte ${parameter.offset}: ${ready.what}`, `${ready.text},`];
  });
  const body = [...definitions, harnessText(facts, kernelFile, memory, args)].join('\n\n');
  return `import { ${[...used].toSorted().join(', ')} } from '@nccl-ts/harness';\n\n${body}\n`;
}

type TypeName = (name: string) => string;

/** A field of a struct: one word, or several adjacent words of one kind. */
interface Field {
  readonly offset: number;
  readonly count: number;
  readonly word: ParameterWord;
}

function fieldsOf({ words, bytes }: ParameterFacts): readonly Field[] {
  const fields: Field[] = [];
  let end = 0;
  for (const [i, word] of words.entries()) {
    // Overlapping reads are one field, represented by the first.
    if (word.offset < end || word.offset < 0) continue;
    const last = fields.at(-1);
    // An indexed array ends at the next field of another type.
    const next = words.slice(i + 1).find((one) => one.guess !== word.guess || one.bytes !== word.bytes);
    const room = Math.floor(((next?.offset ?? bytes) - word.offset) / word.bytes);
    const count = word.isIndexed === true ? Math.max(1, Math.min(room, 8)) : 1;
    if (last?.word.guess === word.guess && last.word.bytes === word.bytes && word.offset === end) {
      fields[fields.length - 1] = { ...last, count: last.count + count };
    } else fields.push({ offset: word.offset, count, word });
    end = word.offset + count * word.bytes;
  }
  return fields;
}

function structText(parameter: ParameterFacts, index: number, type: TypeName): string {
  const { bytes, align } = parameter;
  const lines: string[] = [];
  let end = 0;
  let natural = 1;
  const pad = (to: number): void => {
    if (to > end) lines.push(`gap${end}: ${type('bytes')}(${to - end}),`);
  };
  for (const { offset, count, word } of fieldsOf(parameter)) {
    pad(offset);
    const one = type(wordType(word));
    lines.push(`at${offset}: ${count === 1 ? one : `${type('array')}(${one}, ${count})`},`);
    end = offset + count * word.bytes;
    natural = Math.max(natural, word.bytes);
  }
  pad(bytes);
  const head = `/** The ${bytes} bytes of parameter ${index}, by their offsets: those that the kernel reads have a type. Name them as the .cu does. */`;
  const make = `const Param${index} = ${type('struct')}(`;
  if (align === natural) return `${head}\n${make}{\n${lines.map((line) => `  ${line}\n`).join('')}});`;
  return `${head}\n${make}\n  {\n${lines.map((line) => `    ${line}\n`).join('')}  },\n  { align: ${align} },\n);`;
}

function wordType({ bytes, guess }: ParameterWord): string {
  if (guess === 'pointer') return 'ptr';
  if (guess === 'float') return bytes === 8 ? 'f64' : 'f32';
  return `u${8 * bytes}`;
}

function argumentText(
  parameter: ParameterFacts,
  { index, name }: { readonly index: number; readonly name: string },
  memory: string[],
  type: TypeName,
): readonly string[] {
  const { offset, bytes, isStruct, words } = parameter;
  const where = `// ${index}${parameter.declared === undefined ? '' : `, ${parameter.declared.name}`}, from byte ${offset}:`;
  const [word] = words;
  if (isStruct) {
    const values = fieldsOf(parameter).map(({ offset: from, count, word: one }) => {
      if (one.guess === 'pointer') {
        const data = `${name}_${from}`;
        type('todo');
        memory.push(`const ${data} = alloc('${data}', ${type('f32')}, ${COUNT}, (i) => rank + i);`);
        if (count === 1) return `  at${from}: ${ownerTodo(data)},`;
        return `  at${from}: ranks.map((r) => peer(${data}, r)),`;
      }
      type('todo');
      return `  at${from}: ${count === 1 ? "todo('a number')" : `todo('${count} numbers')`},`;
    });
    if (values.length === 0) return [`${where} a struct, of which the kernel reads no field.`, `Param${index}({}),`];
    return [`${where} a struct. Fields that you leave out are zero.`, `Param${index}({`, ...values, '}),'];
  }
  if (word?.guess === 'pointer') {
    const data = name;
    type('todo');
    memory.push(`const ${data} = alloc('${data}', ${type('f32')}, ${COUNT}, (i) => rank + i);`);
    return [`${where} a pointer. Write ${ownersText(data)}.`, `${ownerTodo(data)},`];
  }
  const kind =
    word?.guess === 'float' ? 'a float.' : `an integer of ${bytes} bytes, such as a count, the rank or nRanks.`;
  type('todo');
  return [`${where} ${kind}`, `todo('${word?.guess === 'float' ? 'a float' : 'an integer'}'),`];
}

function harnessText(
  facts: EntryFacts,
  kernelFile: string,
  memory: readonly string[],
  args: readonly string[],
): string {
  const needed = facts.threads.find(({ directive }) => directive === 'reqntid');
  const block = needed === undefined ? 32 : needed.numbers.reduce((product, one) => product * one, 1);
  const names = ['rank', 'ranks', 'nRanks', 'alloc', 'peer', 'devComm'].filter((name) =>
    new RegExp(`\\b${name}\\b`).test([...memory, ...args.filter((line) => !line.startsWith('//'))].join(' ')),
  );
  const isWhole = [...memory, ...args].some((line) => line.includes('(setup, '));
  const lines = [
    `/** Launches ${facts.title}. */`,
    'export default harness({',
    `  kernel: ${quoted(kernelFile)},`,
    `  entry: ${quoted(facts.title)},`,
    '  // If the kernel fixes the number of ranks, write ranks: 2. Otherwise a check runs 2, 3 and 4.',
    '  // CTAs of each rank, and threads of each CTA: as few as use every barrier and flag of the kernel.',
    '  grid: 1,',
    `  block: ${block},`,
    '  // Launches one after the other, so that state left by one affects the next.',
    '  launches: 2,',
    ...(facts.hasDynamicShared ? ['  // Bytes of extern __shared__ memory.', '  dynamicShared: 1024,'] : []),
    ...(facts.calls.length === 0
      ? []
      : ['  // The headers of NCCL and NVSHMEM that nccl-ts knows.', '  standIn: true,']),
    ...(standInDevComm(facts) === undefined
      ? []
      : [
          '  // The requirements on the device communicator. Pass an allocation for a window.',
          "  devComm: { ginConnectionType: 'full', ginSignalCount: 1, worldGinBarrierCount: 1, lsaBarrierCount: 1, barrierCount: 1 },",
        ]),
    ...(isWhole
      ? ['  setup(setup) {', ...(names.length === 0 ? [] : [`    const { ${names.join(', ')} } = setup;`])]
      : [`  setup(${names.length === 0 ? '' : `{ ${names.join(', ')} }`}) {`]),
    ...(memory.length === 0
      ? []
      : [
          '    // Memory of every rank: a name that findings use, the type of the elements, their number, and their values.',
        ]),
    ...memory.map((line) => `    ${line}`),
    '    return {',
    '      args: [',
    ...args.map((line) => `        ${line}`),
    '      ],',
    '      // What lies in memory at the end: expect: () => out.equals((i) => ranks.reduce((sum, r) => sum + r + i, 0)),',
    '    };',
    '  },',
    '});',
  ];
  return lines.join('\n');
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
