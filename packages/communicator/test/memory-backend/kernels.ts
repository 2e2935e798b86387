import { devComm, symPtr, team, window } from '@nccl-ts/devcomm';
import { addr, bool, e4m3, f16, f32, i64, kernel, ptr, u32, u64, u8, vec } from '@nccl-ts/kernel';
import type { Kernel, ParamsHost } from '@nccl-ts/kernel';

export const empty = kernel({ name: 'empty' }, () => {});

const params = {
  comm: devComm,
  win: window,
  count: u32,
  small: u8,
  big: u64,
  signed: i64,
  offset: addr,
  flag: bool,
  scale: f32,
  half: f16,
  tiny: e4m3,
  four: vec(f32, 4),
  at: ptr(f32),
  team,
  place: symPtr(f32),
};

/** A kernel with a parameter of every kind. */
export const everything: Kernel<ParamsHost<typeof params>> = kernel({ name: 'everything', params }, () => {});
