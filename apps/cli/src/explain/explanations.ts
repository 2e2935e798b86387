import { errorCodes, type ErrorCode } from '@nccl-ts/core';
import { findingKinds, missingHelp, type FindingKind, type FindingText, type MissingKind } from '@nccl-ts/findings';
import type { KernelDiagnosticCode } from '@nccl-ts/ir';
import type { PtxDiagnosticCode } from '@nccl-ts/ptx';
import { callCodes } from './call-codes.ts';
import { errorExplanations } from './error-explanations.ts';
import type { Explanation } from './explanation.ts';
import { ptxCodes } from './ptx-codes.ts';
import { textCodes } from './text-codes.ts';
import { typeCodes } from './type-codes.ts';
import { waitCodes } from './wait-codes.ts';

/** Every code that can be explained. */
export type ExplainedCode = KernelDiagnosticCode | PtxDiagnosticCode | ErrorCode | FindingKind | `race/${MissingKind}`;

/** The codes of one kind, in order. */
export interface CodeGroup {
  readonly title: string;
  /** The reports in which they occur. */
  readonly where: string;
  readonly codes: ReadonlyMap<ExplainedCode, Explanation>;
}

/**
 * These types require every code, so a new code in a package fails to compile here until it has an
 * explanation.
 */
const kernelCodes: Readonly<Record<KernelDiagnosticCode, Explanation>> = {
  ...textCodes,
  ...callCodes,
  ...typeCodes,
  ...waitCodes,
};

/** All groups of codes. */
export const codeGroups: readonly CodeGroup[] = [
  {
    title: 'Errors',
    where: 'Host calls throw an NcclError with one of these codes.',
    codes: new Map(
      keysOf(errorExplanations).map((code) => [
        code,
        { title: untitled(errorCodes[code].description), ...errorExplanations[code] },
      ]),
    ),
  },
  {
    title: 'Findings',
    where:
      'nccl-ts check, check() and the vitest matchers report findings of these kinds. For a race, a second word names the missing synchronization: race/scope.',
    codes: new Map<ExplainedCode, Explanation>([
      ...keysOf(findingKinds).map((kind): [ExplainedCode, Explanation] => [
        kind,
        { ...explained(findingKinds[kind]), title: lowered(findingKinds[kind].title) },
      ]),
      ...keysOf(missingHelp).map((kind): [ExplainedCode, Explanation] => [
        `race/${kind}`,
        explained(missingHelp[kind]),
      ]),
    ]),
  },
  {
    title: 'Kernels',
    where: 'These reports belong to NCCLTS_COMPILE: errors in a kernel, or features that a backend does not support.',
    codes: new Map(keysOf(kernelCodes).map((code) => [code, kernelCodes[code]])),
  },
  {
    title: 'PTX',
    where: 'These reports are about .ptx files, and about .cu files once compiled.',
    codes: new Map(keysOf(ptxCodes).map((code) => [code, ptxCodes[code]])),
  },
];

/** Returns the explanation of a code, in upper or lower case. */
export function explanationOf(text: string): readonly [ExplainedCode, Explanation] | undefined {
  const wanted = text.trim().toLowerCase();
  for (const { codes } of codeGroups) {
    for (const entry of codes) if (entry[0].toLowerCase() === wanted) return entry;
  }
  return undefined;
}

function keysOf<K extends string>(table: Readonly<Record<K, unknown>>): readonly K[] {
  const isKey = (key: string): key is K => Object.hasOwn(table, key);
  return Object.keys(table).filter(isKey);
}

function explained({ title, help, example, fix, instead }: FindingText): Explanation {
  return { title, meaning: help, example, fix, ...(instead === undefined ? {} : { instead }) };
}

/** Converts a title back to a sentence. */
function untitled(sentence: string): string {
  return lowered(sentence.replace(/\.$/, ''));
}

function lowered(text: string): string {
  return /^[A-Z][a-z]+\b|^A /.test(text) ? `${text.slice(0, 1).toLowerCase()}${text.slice(1)}` : text;
}
