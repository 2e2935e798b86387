import type { Client } from '../client.ts';
import type { Machine } from '../protocol.ts';
import type { SteppedView } from './share.ts';
import type { StepActions, Stepped } from './step-bar.ts';

/** Makes one of the views with steps: the memory of all ranks over turns, or the executions. */
export async function steppedView(
  view: SteppedView,
  client: Client,
  given: { readonly text: string; readonly machine: Machine },
  actions: StepActions,
): Promise<Stepped> {
  if (view === 'history') {
    const { historyView } = await import('./history.ts');
    return historyView(await client.request({ kind: view, ...given }), given.machine.ranks, actions);
  }
  const { executionsView } = await import('./executions.ts');
  return executionsView(await client.request({ kind: view, ...given }), actions);
}
