import { InvalidArgumentError, type Option } from 'commander';
import { isNcclError, ncclVersionCode, scalarInfo, type ScalarKind, wordTable } from '@nccl-ts/core';
import { normalizeDevCommRequirements } from '@nccl-ts/devcomm';
import type { RequiredOfDevComm } from './launch/kernel-values.ts';

/** Parses an integer option within bounds. */
export function integer(least: number, most: number = Number.MAX_SAFE_INTEGER): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!/^\d+$/.test(text) || value < least || value > most) {
      const allowed = most === Number.MAX_SAFE_INTEGER ? `of ${least} or more` : `from ${least} to ${most}`;
      throw new InvalidArgumentError(`It must be an integer ${allowed}.`);
    }
    return value;
  };
}

/** Parses a list of integers within bounds: `2,3,8`. Repeated ones count once. */
export function integerList(least: number, most: number): (text: string) => readonly number[] {
  return (text) => [...new Set(text.split(',').map((word) => integer(least, most)(word.trim())))];
}

const units: Readonly<Record<string, number>> = wordTable({ '': 1, k: 2 ** 10, m: 2 ** 20, g: 2 ** 30 });

/** Parses a number of bytes: `4096`, `64K`, `1M`, `1G`. */
export function bytes(text: string): number {
  const match = /^(\d+)([kmg]?)(i?b)?$/i.exec(text);
  const value = Number(match?.[1]) * (units[match?.[2]?.toLowerCase() ?? ''] ?? Number.NaN);
  if (!Number.isSafeInteger(value) || value < 1)
    throw new InvalidArgumentError('It must be a size: 4096, 64K, 1M, 1G.');
  return value;
}

/** Parses `--arg count=1024`, which may be repeated. */
export function assignment(text: string, before: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const [name, value] = parted(text);
  if (before.has(name)) throw new InvalidArgumentError(`${name} already has a value.`);
  return new Map([...before, [name, value]]);
}

/** Parses `--type flags=u32`, which may be repeated. */
export function elementType(text: string, before: ReadonlyMap<string, ScalarKind>): ReadonlyMap<string, ScalarKind> {
  const [name, value] = parted(text);
  const type = Object.keys(scalarInfo).find((one) => one === value);
  if (!isScalarKind(type)) {
    throw new InvalidArgumentError(`There is no type ${value}; there are ${Object.keys(scalarInfo).join(', ')}.`);
  }
  if (before.has(name)) throw new InvalidArgumentError(`${name} already has a type.`);
  return new Map([...before, [name, type]]);
}

function isScalarKind(name: string | undefined): name is ScalarKind {
  return name !== undefined && Object.hasOwn(scalarInfo, name);
}

/** Parses `--require ginSignalCount=1`, which may be repeated. */
export function requirement(text: string, before: RequiredOfDevComm): RequiredOfDevComm {
  const [name, value] = parted(text);
  if (Object.hasOwn(before, name)) throw new InvalidArgumentError(`${name} already has a value.`);
  const given: object = { ...before, [name]: valueOf(value) };
  try {
    normalizeDevCommRequirements(given);
  } catch (error) {
    if (!isNcclError(error)) throw error;
    throw new InvalidArgumentError(error.message);
  }
  return given;
}

function valueOf(text: string): number | boolean | string | null {
  const words: Readonly<Record<string, boolean | null>> = { true: true, false: false, null: null };
  return Object.hasOwn(words, text) ? (words[text] ?? null) : /^-?\d+$/.test(text) ? Number(text) : text;
}

function parted(text: string): readonly [name: string, value: string] {
  const at = text.indexOf('=');
  if (at < 1) throw new InvalidArgumentError('It must be of the form name=value.');
  return [text.slice(0, at), text.slice(at + 1)];
}

/**
 * Parses an NCCL version: `2.30.7`, or 23007 in the form of NCCL_VERSION_CODE. It must be at least
 * 2.28.3, the first version with a device API.
 */
export function ncclVersion(text: string): number {
  const [, major, minor, patch] = /^(\d+)\.(\d+)\.(\d+)$/.exec(text) ?? [];
  const code =
    major === undefined
      ? /^\d+$/.test(text)
        ? Number(text)
        : 0
      : ncclVersionCode(Number(major), Number(minor), Number(patch));
  if (code < FIRST_VERSION) throw new InvalidArgumentError('It must be version 2.28.3 or later: 2.30.7 or 23007.');
  return code;
}

const FIRST_VERSION = ncclVersionCode(2, 28, 3);

/** Parses a time in seconds, which must be above 0. */
export function seconds(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !(value > 0) || value > MOST_SECONDS) {
    throw new InvalidArgumentError(`It must be a number of seconds above 0 and up to ${MOST_SECONDS}.`);
  }
  return value;
}

/** The longest time that a Node timer can wait, in seconds. */
const MOST_SECONDS = 2_147_482;

/** Collects the values of an option that may be repeated. */
export function collect(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, text];
}

/** Returns an option with its value as words of a command line; none if it has no value. */
export function optionWords({ long }: Option, value: unknown): readonly string[] {
  if (typeof long !== 'string' || value === undefined) return [];
  if (value === true) return [long];
  return textsOf(value).flatMap((text) => [long, text]);
}

/** Returns the texts of a value, which are several if the option may be repeated. */
function textsOf(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.map(String);
  if (typeof value !== 'object' || value === null) return [String(value)];
  const entries = value instanceof Map ? [...value.entries()] : Object.entries(value);
  return entries.map(([name, one]) => `${String(name)}=${String(one)}`);
}

/** Names that are separated by commas. */
export function names(text: string): readonly string[] {
  return text.split(',').map((name) => name.trim());
}
