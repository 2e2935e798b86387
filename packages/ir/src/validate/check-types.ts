import { scalarInfo } from '@nccl-ts/core';
import { valueBytes } from '../arithmetic/bytes.ts';
import type { Module } from '../module.ts';
import type { Span } from '../span.ts';
import { typeName, type Type } from '../type.ts';
import type { ReportMalformed } from './findings.ts';

/** The size of the largest value, in bytes. */
const maxValueBytes = 16;

/**
 * Checks that `type` is one that values can have: a vector has elements, and no more than 16 bytes.
 */
export function checkType(type: Type, span: Span | undefined, report: ReportMalformed): void {
  if (type.kind === 'pointer') {
    checkType(type.element, span, report);
    return;
  }
  if (type.kind !== 'vector') return;
  const whole = Number.isInteger(type.width) && type.width >= 1;
  if (whole && valueBytes(type) <= maxValueBytes) return;
  const bytes = scalarInfo[type.element].bytes;
  report('wrongDeclaration', `${typeName(type)} must have 1 to ${maxValueBytes / bytes} elements`, span);
}

/** Checks the declarations of `module`. */
export function checkDeclarations(module: Module, report: ReportMalformed): void {
  for (const { type } of module.params) checkType(type, undefined, report);
  for (const { type, span } of module.locals) checkType(type, span, report);
  for (const { name, element, length, span } of module.arrays) {
    checkType(element, span, report);
    if (!Number.isSafeInteger(length) || length < 1) {
      report('wrongDeclaration', `array ${name} has length ${length} but needs a whole number of at least 1`, span);
    }
  }
}
