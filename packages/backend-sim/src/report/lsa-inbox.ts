import type { DevCommPlan } from '@nccl-ts/devcomm';

export function lsaInbox(plan: DevCommPlan, rank: number, offset: number): undefined {
  return undefined;
}
