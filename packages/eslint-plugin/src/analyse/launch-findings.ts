import { scalarInfo, type ScalarKind } from '@nccl-ts/core';
import { unknownValue, type ParamType } from '@nccl-ts/kernel';
import type { ModuleText } from '../evaluate/module-text.ts';
import { childOf, listOf, nameOf } from '../source/syntax.ts';
import type { LintFinding } from './finding.ts';
import { findingAt, launchesOf, propertyOf, type LaunchText } from './launches-of.ts';
import { requirementFindings } from './requirement-findings.ts';

/** The mistakes in the launches of a module that need no run. */
export function launchFindings(module: ModuleText): readonly LintFinding[] {
  return launchesOf(module).flatMap((launch) => [
    ...extentFindings(module, launch),
    ...argumentFindings(module, launch),
    ...requirementFindings(module, launch),
  ]);
}

/** CUDA's limit, which all backends apply. */
const MOST_THREADS = 1024;

function extentFindings(module: ModuleText, { kernel, options, scope }: LaunchText): readonly LintFinding[] {
  return (['grid', 'block'] as const).flatMap((name) => {
    const node = propertyOf(options, name);
    if (node === undefined) return [];
    const value = module.valueOf(node, scope);
    const what = `launch of ${kernel.name}: ${name}`;
    const sizes = typeof value === 'object' && value !== null ? Object.values(value) : [value];
    const numbers = sizes.filter((size) => typeof size === 'number');
    const wrong = numbers.find((size) => !Number.isSafeInteger(size) || size < 1);
    if (wrong !== undefined) return [findingAt(node, `${what} must be an integer of 1 or more; given ${wrong}`)];
    const threads = numbers.reduce((product, size) => product * size, 1);
    if (name === 'grid' || threads <= MOST_THREADS) return [];
    return [findingAt(node, `${what} must have ${MOST_THREADS} threads at most; given ${threads}`)];
  });
}

function argumentFindings(module: ModuleText, { kernel, args, scope }: LaunchText): readonly LintFinding[] {
  if (args === undefined) return [];
  const what = `launch of ${kernel.name}`;
  const takes = `the kernel takes ${Object.keys(kernel.params).join(', ') || 'no arguments'}`;
  const properties = listOf(args, 'properties');
  const names = properties.map((property) => nameOf(childOf(property, 'key')) ?? '');
  const missing = Object.keys(kernel.params).filter((name) => !names.includes(name));
  return [
    ...(missing.length === 0 ? [] : [findingAt(args, `${what}: ${missing.join(', ')} missing; ${takes}`)]),
    ...properties.flatMap((property, index) => {
      const name = names[index] ?? '';
      const type = Object.hasOwn(kernel.params, name) ? kernel.params[name] : undefined;
      if (type === undefined) return [findingAt(property, `${what}: no parameter is called ${name}; ${takes}`)];
      const value = childOf(property, 'value');
      const wanted = value && wantedFor(type, module.valueOf(value, scope));
      return value === undefined || wanted === undefined
        ? []
        : [findingAt(value, `${what}: argument ${name} must be ${wanted}`)];
    }),
  ];
}

/** The value that a parameter needs instead; `undefined` if it may take this one. */
function wantedFor(type: ParamType, value: unknown): string | undefined {
  const isPlain = typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean';
  if (!isPlain || Object.is(type, unknownValue) || type.kind !== 'scalar') return undefined;
  const given = `given ${String(value)}`;
  const { scalar } = type;
  const info = scalarInfo[scalar];
  if (info.class === 'bool') return typeof value === 'boolean' ? undefined : `a boolean (bool); ${given}`;
  if (info.class === 'float') return typeof value === 'number' ? undefined : `a number (${scalar}); ${given}`;
  return fitsInteger(scalar, value) ? undefined : `an integer from ${info.min} to ${info.max} (${scalar}); ${given}`;
}

function fitsInteger(scalar: ScalarKind, value: number | bigint | boolean): boolean {
  const info = scalarInfo[scalar];
  if ((info.class !== 'int' && info.class !== 'addr') || typeof value === 'boolean') return false;
  const isInteger = typeof value === 'bigint' ? info.bytes === 8 : Number.isSafeInteger(value);
  return isInteger && value >= info.min && value <= info.max;
}
