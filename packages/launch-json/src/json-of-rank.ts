import {
  ImageWriter,
  type DescribedMemory,
  type Expectation,
  type Harness,
  type RankDescription,
  type Step,
} from '@nccl-ts/harness';
import { base64Of } from './base64-bytes.ts';
import { isElementName } from './element-bytes.ts';
import { jsonOfAddress, jsonOfArgument, jsonOfImage, type AddressForm } from './json-of-image.ts';
import { jsonOfNumber } from './numbers-of-json.ts';
import type { ArgumentJson, ContentsJson, ExpectJson, MemoryJson, RankJson, StepJson } from './program-json.ts';

/** The memory of all ranks. Contents that are the same on all of them are written once. */
export function jsonOfMemory(ranks: readonly RankDescription[]): readonly MemoryJson[] {
  const [first] = ranks;
  return (first?.memory ?? []).map(({ allocation: { name, type, count, bytes } }, i) => {
    const isScalar = isElementName(type.typeName);
    const contents = contentsOf(ranks, i);
    return {
      name,
      ...(isElementName(type.typeName) && type.typeName !== 'u8' ? { type: type.typeName } : {}),
      // A struct is so many bytes.
      count: isScalar ? count : bytes,
      ...(contents === undefined ? {} : { contents }),
    };
  });
}

function contentsOf(ranks: readonly RankDescription[], index: number): MemoryJson['contents'] {
  const each = (namesOwn: boolean): readonly (ContentsJson | null)[] =>
    ranks.map(({ rank, memory }) => jsonOfContents(memory[index], { own: rank, namesOwn }));
  for (const list of [each(true), each(false)]) {
    const [first = null] = list;
    if (list.every((one) => JSON.stringify(one) === JSON.stringify(first))) return first ?? undefined;
  }
  return each(true);
}

function jsonOfContents(memory: DescribedMemory | undefined, form: AddressForm): ContentsJson | null {
  if (memory === undefined) return null;
  if (!memory.isGiven) return 'uninitialised';
  const { base64, ...placed } = jsonOfImage(memory.image, form);
  const isZero = memory.image.bytes.every((byte) => byte === 0);
  if (isZero) return placed.addresses === undefined && placed.fields === undefined ? null : placed;
  return { base64, ...placed };
}

/** The program of a rank. */
export function jsonOfRank(rank: RankDescription, { kernels, launches }: Harness): RankJson {
  const form = { own: rank.rank, namesOwn: true };
  const lists = Array.from({ length: launches }, (_, launch) =>
    rank.stepsOf(launch).map((step) => jsonOfStep(step, form)),
  );
  const { between, expect } = rank;
  const actions =
    between === undefined ? [] : Array.from({ length: launches - 1 }, (_, i) => [between(i + 1) ?? []].flat());
  const expected = [expect?.() ?? []].flat().map((one) => jsonOfExpectation(one));
  return {
    ...(kernels === undefined ? jsonOfArgs(lists) : jsonOfSteps(lists)),
    ...(actions.some((list) => list.length > 0)
      ? { between: actions.map((list) => list.map((step) => jsonOfStep(step, form))) }
      : {}),
    ...(expected.length === 0 ? {} : { expect: expected }),
  };
}

function jsonOfSteps(lists: readonly (readonly StepJson[])[]): RankJson {
  const [first = []] = lists;
  return areAlike(lists) ? { steps: first } : { stepsByLaunch: lists };
}

/** A launch of the only kernel has no options. */
function jsonOfArgs(lists: readonly (readonly StepJson[])[]): RankJson {
  const args = lists.map((list): readonly ArgumentJson[] =>
    list.flatMap((one) => (one.kind === 'launch' ? one.args : [])),
  );
  const [first = []] = args;
  return areAlike(args) ? { args: first } : { argsByLaunch: args };
}

function areAlike(lists: readonly unknown[]): boolean {
  return lists.every((one) => JSON.stringify(one) === JSON.stringify(lists[0]));
}

function jsonOfStep(step: Step, form: AddressForm): StepJson {
  switch (step.kind) {
    case 'launch': {
      const { kernel, args, stream, grid, block } = step;
      return {
        kind: 'launch',
        kernel,
        args: args.map((one, i) => jsonOfArgument(one, form, `argument ${i} of ${kernel}`)),
        ...onStream(stream),
        ...(grid === undefined ? {} : { grid }),
        ...(block === undefined ? {} : { block }),
      };
    }
    case 'memcpy': {
      const { to, from, bytes, stream, location } = step;
      const places = { to: jsonOfAddress(to, form), from: jsonOfAddress(from, form) };
      return { kind: 'memcpy', ...places, bytes, ...onStream(stream), ...located(location) };
    }
    case 'memset': {
      const { to, value, bytes, stream, location } = step;
      return { kind: 'memset', to: jsonOfAddress(to, form), value, bytes, ...onStream(stream), ...located(location) };
    }
    case 'writeWord': {
      const { to, value, bytes, stream, location } = step;
      const word = jsonOfNumber(value);
      const common = { bytes, ...onStream(stream), ...located(location) };
      return { kind: 'writeWord', to: jsonOfAddress(to, form), value: word, ...common };
    }
    case 'waitWord': {
      const { from, value, condition, bytes, stream, location } = step;
      const word = jsonOfNumber(value);
      const common = { condition, bytes, ...onStream(stream), ...located(location) };
      return { kind: 'waitWord', from: jsonOfAddress(from, form), value: word, ...common };
    }
    case 'record':
    case 'waitEvent':
      return { kind: step.kind, event: step.event, ...onStream(step.stream) };
    case 'write': {
      const { allocation, offset, image } = step;
      return { kind: 'write', memory: allocation, offset, contents: jsonOfImage(image, form) };
    }
    case 'synchronize':
      return { kind: 'synchronize', ...(step.stream === undefined ? {} : { stream: step.stream }) };
    case 'barrier':
      return { kind: 'barrier' };
    case 'expectation':
      return { kind: 'expect', ...jsonOfExpectation(step) };
  }
}

function onStream(stream: number): { readonly stream?: number } {
  return stream === 0 ? {} : { stream };
}

function located(location: string | undefined): { readonly location?: string } {
  return location === undefined ? {} : { location };
}

function jsonOfExpectation({ allocation, type, from, expected, tolerance }: Expectation): ExpectJson {
  const image = new ImageWriter(type.bytes * expected.length);
  const isPointer = type.typeName === 'ptr';
  for (const [i, value] of expected.entries()) {
    // An expected address can only be null, as a number.
    if (!isPointer) type.encode(image, i * type.bytes, value, `element ${from + i} of ${allocation}`);
  }
  return {
    memory: allocation,
    ...(from === 0 ? {} : { from }),
    base64: base64Of(image.bytes),
    ...(tolerance === 0 ? {} : { tolerance }),
  };
}
