import type { Argument, Command, Option } from 'commander';
import { showValue } from '@nccl-ts/core';
import { packageVersion } from '../package-version.ts';
import { exitCodes } from './exit-codes.ts';

/** Changes if a member is removed or has another meaning. New members do not change it. */
const FORMAT = 1;

/**
 * The help of the command line for programs: `nccl-ts --help --json`. It has the contents of the
 * text, because both are made from the same commands.
 */
export interface HelpJson {
  readonly format: typeof FORMAT;
  readonly name: string;
  readonly version: string;
  readonly description: string;
  /** The meaning of each exit code. */
  readonly exitCodes: Readonly<Record<string, string>>;
  readonly commands: readonly CommandJson[];
}

/** A command of `HelpJson`. */
export interface CommandJson {
  readonly name: string;
  readonly description: string;
  /** The form of a call: `nccl-ts run [options] <file> [kernel]`. */
  readonly usage: string;
  readonly arguments: readonly ArgumentJson[];
  readonly options: readonly OptionJson[];
  /** The paragraphs below the options, with examples. */
  readonly notes: string;
}

/** An argument of a command, in the order of the command line. */
export interface ArgumentJson {
  readonly name: string;
  readonly description: string;
  readonly isRequired: boolean;
  /** True if several may follow each other. */
  readonly isVariadic: boolean;
}

/** An option of a command. */
export interface OptionJson {
  /** The name as it is typed: `--ranks`. */
  readonly long: string;
  /** The short name, if there is one: `-n`. */
  readonly short?: string;
  readonly description: string;
  /** The word that stands for the value: `<list>`. Absent for an option without a value. */
  readonly value?: string;
  /** The values that are allowed, if they can be listed. */
  readonly choices?: readonly string[];
  /** The default as the text shows it. */
  readonly default?: string;
}

/** Returns the help of a program, or of its commands with this name. */
export function helpJson(program: Command, name?: string): HelpJson {
  const help = program.createHelp();
  const commands = help.visibleCommands(program).filter((one) => program.commands.includes(one));
  return {
    format: FORMAT,
    name: program.name(),
    version: packageVersion(),
    description: program.description(),
    exitCodes,
    commands: commands.filter((one) => name === undefined || one.name() === name).map(commandJson),
  };
}

function commandJson(command: Command): CommandJson {
  const help = command.createHelp();
  return {
    name: command.name(),
    description: command.description(),
    usage: help.commandUsage(command),
    arguments: help.visibleArguments(command).map(argumentJson),
    options: help.visibleOptions(command).map(optionJson),
    notes: notesOf(command),
  };
}

function argumentJson(argument: Argument): ArgumentJson {
  return {
    name: argument.name(),
    description: argument.description,
    isRequired: argument.required,
    isVariadic: argument.variadic,
  };
}

function optionJson(option: Option): OptionJson {
  const { long, short, flags, description, argChoices, defaultValueDescription } = option;
  const [, value] = /([<[][^\]>]+[\]>])$/.exec(flags) ?? [];
  const given: unknown = option.defaultValue;
  const text = given === undefined || typeof given === 'string' ? given : showValue(given);
  const shown = defaultValueDescription ?? text;
  return {
    long: long ?? flags,
    ...(short === undefined ? {} : { short }),
    description,
    ...(value === undefined ? {} : { value }),
    ...(argChoices === undefined ? {} : { choices: argChoices }),
    ...(shown === undefined ? {} : { default: shown }),
  };
}

/** Collects the paragraphs that `addHelpText` puts after the options. */
function notesOf(command: Command): string {
  const output = { ...command.configureOutput() };
  let text = '';
  command.configureOutput({ writeOut: (part) => (text += part) });
  command.outputHelp();
  command.configureOutput(output);
  const before = command.helpInformation();
  return text.slice(text.indexOf(before) + before.length).trim();
}
