import {
  addr,
  bool,
  e4m3,
  f16,
  f32,
  handleParam,
  i32,
  i64,
  kernel,
  ptr,
  structParam,
  u32,
  u64,
  u8,
  vec,
} from '@nccl-ts/kernel';
import type { Kernel, ParamsHost } from '@nccl-ts/kernel';

/** Parameters as packages of device types declare them. */
export const windowParam = handleParam<unknown, { readonly kind: 'window' }>({ handle: 'Window', fields: {} });
export const devCommParam = handleParam<unknown, { readonly kind: 'devComm' }>({ handle: 'DevComm', fields: {} });
export const teamParam = structParam<
  unknown,
  { readonly nRanks: number; readonly rank: number; readonly stride: number }
>({
  struct: 'Team',
  fields: { nRanks: i32, rank: i32, stride: i32 },
});
export const symPtrParam = structParam<
  unknown,
  { readonly window: { readonly kind: 'window' }; readonly offset: number }
>({
  struct: 'SymPtr',
  fields: { window: windowParam, offset: addr },
});

export const empty = kernel({ name: 'empty' }, () => {});

const params = {
  comm: devCommParam,
  win: windowParam,
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
  team: teamParam,
  place: symPtrParam,
};

/** A kernel with a parameter of every kind. */
export const everything: Kernel<ParamsHost<typeof params>> = kernel({ name: 'everything', params }, () => {});
