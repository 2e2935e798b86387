import { isNcclError } from '@nccl-ts/core';
import { deviceCalls, entryFacts, type EntryFacts, type ParameterFacts, type ParameterWord } from '@nccl-ts/harness';
import { nameApproximations, walkBody, type Module } from '@nccl-ts/ir';
import { importKernel, renderPtxDiagnostic, type PtxFunction, type PtxModule } from '@nccl-ts/ptx';
import { counted } from '../output/counted.ts';

/** Describes an entry: its parameters, its launch, and its unsupported features. */
export function entryText(module: PtxModule, entry: PtxFunction): string {
  const facts = entryFacts(module, entry);
  const lines = [facts.title];
  if (facts.title !== facts.name) lines.push(`  in the text: ${facts.name}`);
  lines.push(`  ${counted(facts.parameters.length, 'parameter')}, ${counted(facts.parameterBytes, 'byte')}`);
  lines.push(...facts.parameters.flatMap(parameterLines), ...needs(facts).map((line) => `  ${line}`));
  lines.push(...verdict(module, entry, facts));
  return lines.join('\n');
}

function parameterLines({ offset, bytes, align, isStruct, words }: ParameterFacts, index: number): readonly string[] {
  const [word] = words;
  if (!isStruct)
    return [
      `    ${index}: byte ${offset}, ${counted(bytes, 'byte')}, ${word === undefined ? 'not read' : guessText(word)}`,
    ];
  const read = words.map((one) => `byte ${offset + one.offset}: ${guessText(one)}, ${counted(one.bytes, 'byte')}`);
  const head = `    ${index}: byte ${offset}, a struct of ${counted(bytes, 'byte')}, aligned to ${align}`;
  return [read.length === 0 ? `${head}, not read` : head, ...read.map((line) => `       ${line}`)];
}

function guessText({ guess }: ParameterWord): string {
  return `${guess === 'integer' ? 'an' : 'a'} ${guess}`;
}

function needs({ sharedBytes, hasDynamicShared, threads, variables, calls, externs }: EntryFacts): readonly string[] {
  return [
    ...(sharedBytes > 0 ? [`shared memory: ${counted(sharedBytes, 'byte')}`] : []),
    ...(hasDynamicShared ? ['extern __shared__ memory: the harness sets its size (dynamicShared)'] : []),
    ...threads.map(({ directive, numbers }) => {
      const most = directive === 'reqntid' ? 'threads of a CTA: exactly' : 'threads of a CTA: at most';
      return `${most} ${numbers.join(' x ')}`;
    }),
    ...(variables.length > 0
      ? [`variables: ${variables.map(({ name, bytes }) => `${name} (${counted(bytes, 'byte')})`).join(', ')}`]
      : []),
    ...(calls.length > 0 ? [`functions of the stand-in headers: ${calls.join(', ')}`] : []),
    ...(externs.length > 0 ? [`functions that are defined elsewhere: ${externs.join(', ')}`] : []),
  ];
}

/** Reports if the translation accepts the entry, with its diagnostics. */
function verdict(
  module: PtxModule,
  { name, directives }: PtxFunction,
  { hasDynamicShared }: EntryFacts,
): readonly string[] {
  const indented = (text: string): string => text.replaceAll(/^(?=.)/gm, '    ');
  try {
    // Any size will do to test if the instructions are supported.
    const dynamicShared = hasDynamicShared ? 1024 : 0;
    const isSized = directives.has('.reqnctapercluster') || !directives.has('.explicitcluster');
    const cluster = isSized ? {} : { cluster: { x: 2, y: 1, z: 1 } };
    const options = { entry: name, dynamicShared, calls: deviceCalls, ...cluster };
    const { kernel, diagnostics } = importKernel(module, options);
    const approximations = approximationsOf(kernel.compile());
    return [
      approximations.length === 0 ? '  supported' : '  supported, with approximations:',
      ...approximations.map((how) => `    ${how}`),
      ...diagnostics.map((one) => indented(renderPtxDiagnostic(one, module))),
    ];
  } catch (error) {
    if (isNcclError(error, 'NCCLTS_COMPILE')) return [`  not supported:\n${indented(error.message)}`];
    throw error;
  }
}

/** The approximations that a check would name if it ran all of the kernel. */
function approximationsOf(module: Module): readonly string[] {
  const found = new Set<string>();
  walkBody(nameApproximations(module).body, {
    statement: (s) => {
      if (s.kind === 'approximate') found.add(s.how);
    },
  });
  return [...found].toSorted();
}
