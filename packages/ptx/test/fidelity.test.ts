import { exact, type Fidelity } from '@nccl-ts/core';
import { directiveFidelities, instructionFidelities, registerFidelities } from '@nccl-ts/ptx';
import { expect, test } from 'vitest';
import { structuralInstructions, type StructuralOpcode } from '../src/lower/instruction-table.ts';
import type { InstructionFidelity, InstructionTable } from '../src/lower/lowering.ts';

const lower = (): void => {};

test('an instruction without a row, and a row without fidelity, do not compile', () => {
  // @ts-expect-error an instruction without a row
  const bare: InstructionTable = { frobnicate: lower };
  // @ts-expect-error a row without fidelity
  const without: InstructionTable = { frobnicate: { lower } };
  const complete: InstructionTable = { frobnicate: { lower, fidelity: exact('a test') } };
  const { ret, ...others } = structuralInstructions;
  // @ts-expect-error a jump without a row
  const missing: Readonly<Record<StructuralOpcode, InstructionFidelity>> = others;
  expect([bare, without, complete, missing, ret]).toHaveLength(5);
});

const kindOf = (rows: readonly { construct: string; fidelity: Fidelity }[], construct: string): string | undefined =>
  rows.find((row) => row.construct === construct)?.fidelity.kind;

test('the rows say what is exact, approximate and refused', () => {
  expect(kindOf(instructionFidelities(), 'ld')).toBe('exact');
  expect(kindOf(instructionFidelities(), 'barrier.cluster')).toBe('exact');
  expect(kindOf(instructionFidelities(), 'elect')).toBe('approximate');
  expect(kindOf(instructionFidelities(), 'wgmma')).toBe('opaque');
  expect(kindOf(registerFidelities(), '%smid')).toBe('approximate');
  expect(kindOf(registerFidelities(), '%globaltimer')).toBe('approximate');
  expect(kindOf(directiveFidelities(), '.reqnctapercluster')).toBe('exact');
  expect(kindOf(directiveFidelities(), '.blocksareclusters')).toBe('opaque');
});
