import type { PtxDiagnostic } from '../syntax/diagnostic.ts';
import type { WeakSpin } from '../structure/structure-flow.ts';
import type { PtxBody, PtxFunction } from '../syntax/module.ts';
import { mnemonic } from './instruction-parts.ts';
import type { ModuleBuilder } from './module-builder.ts';

/** Warns of loops that may never see the awaited value, because of their loads. */
export function weakSpinWarnings(
  weakSpins: readonly WeakSpin[],
  entry: PtxFunction,
  builder: ModuleBuilder,
): readonly PtxDiagnostic[] {
  return weakSpins.map(({ span }): PtxDiagnostic => {
    const load = builder.weakLoadAt(span);
    const what = load === undefined ? 'a load' : mnemonic(load);
    return {
      code: 'P5001',
      severity: 'warning',
      message: `a loop waits by ${what}, which has no order and may never see the store of another thread, so the loop may run forever`,
      help: 'load by ld.relaxed, ld.acquire or ld.volatile (an atomic_ref or a volatile pointer in CUDA C++)',
      span: load?.span ?? entry.span,
      ...(load?.location === undefined ? {} : { location: load.location }),
    };
  });
}

/** Warns that findings cannot name source lines, if no instruction has one. */
export function withoutLines({ items }: PtxBody, entry: PtxFunction): readonly PtxDiagnostic[] {
  const isWithout = items.every((item) => item.kind === 'label' || item.location === undefined);
  if (!isWithout) return [];
  return [
    {
      code: 'P5002',
      severity: 'warning',
      message: `findings in ${entry.name} name lines of the PTX, because its text has no line information`,
      help: 'compile with -lineinfo',
      span: entry.span,
    },
  ];
}
