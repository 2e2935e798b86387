import { InvalidArgumentError, Option, type Command } from 'commander';
import type { ScalarKind } from '@nccl-ts/core';
import { backendNames } from './backend-names.ts';
import type { RequiredOfDevComm } from './launch/kernel-values.ts';
import { assignment, bytes, elementType, integer, integerList, names, requirement } from './options.ts';
import { UsageError } from './usage-error.ts';

const MOST_RANKS = 4096;
const MOST_CTAS = 2 ** 31 - 1;
const MOST_THREADS = 1024;

/** A command's own settings for an option that it shares with others. */
interface CommandSettings {
  /** The default value. */
  readonly default?: unknown;
  /** The default for people. */
  readonly shown?: string;
  /** The scope of the option in this command, such as `(js, wgsl)`. */
  readonly note?: string;
  /** The smallest number, if it is not 1. */
  readonly least?: number;
  /** True if the option takes a list of numbers. */
  readonly isList?: true;
}

/**
 * The options that several commands share. Each has the same name, short name and meaning in all of
 * them.
 */
const table = {
  kernel: () => new Option('-k, --kernel <name>', 'which kernel of the file; same as the [kernel] argument'),
  backend: () =>
    new Option(
      '--backend <name>',
      'sim: simulated ranks; webgpu: ranks that share one GPU; cuda: NVIDIA GPUs through NCCL',
    ).choices(backendNames),
  ranks: ({ least = 1, isList }) =>
    isList === true
      ? new Option('-n, --ranks <list>', 'numbers of ranks, such as 4 or 2,3,8').argParser(
          integerList(least, MOST_RANKS),
        )
      : new Option('-n, --ranks <n>', 'ranks').argParser(integer(least, MOST_RANKS)),
  lsaSize: () =>
    new Option('--lsa-size <n>', "ranks that can load and store each other's memory (default: all)").argParser(
      integer(1, MOST_RANKS),
    ),
  local: () => new Option('--local', 'each rank is meant to work alone: do not ask that ranks reach each other'),
  grid: () => new Option('-g, --grid <n>', 'CTAs of each rank').argParser(integer(1, MOST_CTAS)),
  block: () => new Option('-b, --block <n>', 'threads of each CTA').argParser(integer(1, MOST_THREADS)),
  arg: () =>
    new Option('-a, --arg <name=value>', 'value of a parameter; repeatable')
      .argParser(assignment)
      .default(new Map<string, string>(), 'none'),
  fill: () =>
    new Option('--fill <name=what>', 'initial content of a window: a number, ramp, iota or random; repeatable')
      .argParser(assignment)
      .default(new Map<string, string>(), 'see below'),
  type: () =>
    new Option('--type <name=type>', 'element type of a window: u32, f64; repeatable')
      .argParser(elementType)
      .default(new Map<string, ScalarKind>(), 'see below'),
  require: () =>
    new Option(
      '--require <name=value>',
      'requirement of device communicators: ginSignalCount=1, barrierCount=4, lsaMultimem=true; repeatable',
    )
      .argParser(requirement)
      .default({} satisfies RequiredOfDevComm, 'none'),
  bytes: () => new Option('--bytes <size>', 'size of each window: 4096, 64K, 1M').argParser(bytes),
  seed: () => new Option('--seed <n>', 'seed of every random choice').argParser(integer(0)),
  residentCtas: () =>
    new Option('--resident-ctas <n>', 'number of CTAs that run at the same time on a rank').argParser(integer(1)),
  fuel: () => new Option('--fuel <n>', 'loop iterations without a wait before a CTA is stopped').argParser(integer(1)),
  harness: () => new Option('--harness <file>', 'describes the launches of a .cu or .ptx file'),
  standIn: () => new Option('--stand-in', 'compile a .cu file against stand-ins for the headers of NCCL and NVSHMEM'),
  inputs: () =>
    new Option('--inputs <names>', 'allocations that a producer writes, separated by commas').argParser(names),
  outputs: () => new Option('--outputs <names>', 'allocations that a consumer overwrites').argParser(names),
  seconds: () =>
    new Option('--seconds <n>', 'seconds after which the check of one change ends').argParser(integer(1, 3600)),
  out: () => new Option('--out <file>', 'output file'),
  json: () => new Option('--json', 'print the report as JSON'),
} as const satisfies Readonly<Record<string, (own: CommandSettings) => Option>>;

export type SharedOption = keyof typeof table;

/** Adds options of the table to a command, in this order, each with the command's own settings. */
export function addShared(command: Command, own: Readonly<Partial<Record<SharedOption, CommandSettings>>>): Command {
  for (const [name, words] of Object.entries(own)) {
    if (!isShared(name)) continue;
    const option = table[name](words);
    if (words.note !== undefined) option.description += ` ${words.note}`;
    if (words.default !== undefined) option.default(words.default, words.shown);
    command.addOption(option);
  }
  return command;
}

function isShared(name: string): name is SharedOption {
  return Object.hasOwn(table, name);
}

/** Makes the use of an option's former name an error that names the new one. */
export function renamed(flags: string, instead: string): Option {
  return new Option(flags)
    .argParser(() => {
      throw new InvalidArgumentError(instead);
    })
    .hideHelp();
}

/** The argument of commands that take one file. */
export const kernelArgument = {
  name: '[kernel]',
  description: 'which kernel of the file; same as --kernel',
} as const;

/**
 * Returns the named kernel, from after the file or from --kernel.
 *
 * @throws UsageError if both are given and differ.
 */
export function namedKernel(argument: string | undefined, option: string | undefined): { readonly kernel?: string } {
  if (argument !== undefined && option !== undefined && argument !== option) {
    throw new UsageError(`--kernel ${option}: the kernel is already given as ${argument}`);
  }
  const kernel = argument ?? option;
  return kernel === undefined ? {} : { kernel };
}
