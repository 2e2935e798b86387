import { deviceFn, type DeviceFn } from '@nccl-ts/kernel';
import type { GinModule } from './gin-module.ts';
import type { RemoteAction } from './remote-action.ts';

type Strength = RemoteAction['strength'];

/** The addition of 1 to an indexed signal. */
function inc(name: string, strength: Strength): DeviceFn<GinModule['signalInc']> {
  const definition = { name: `gin.${name}`, use: { strength } };
  return deviceFn(definition, ({ strength }, signal) => ({ strength, modify: 'inc', at: 'id', signal }));
}

/** The addition of a value to an indexed signal. */
function add(name: string, strength: Strength): DeviceFn<GinModule['signalAdd']> {
  const definition = { name: `gin.${name}`, use: { strength } };
  return deviceFn(definition, ({ strength }, signal, value) => ({ strength, modify: 'add', at: 'id', signal, value }));
}

/** The addition of 1 to the signal at an address. */
function vaInc(name: string, strength: Strength): DeviceFn<GinModule['vaSignalInc']> {
  const definition = { name: `gin.${name}`, use: { strength } };
  return deviceFn(definition, ({ strength }, win, offset) => ({
    strength,
    modify: 'inc',
    at: 'va',
    window: win,
    offset,
  }));
}

/** The addition of a value to the signal at an address. */
function vaAdd(name: string, strength: Strength): DeviceFn<GinModule['vaSignalAdd']> {
  const definition = { name: `gin.${name}`, use: { strength } };
  return deviceFn(definition, ({ strength }, win, offset, value) => ({
    strength,
    modify: 'add',
    at: 'va',
    window: win,
    offset,
    value,
  }));
}

/** @see {@link GinModule.strongSignalInc} */
export const strongSignalInc: DeviceFn<GinModule['strongSignalInc']> = inc('strongSignalInc', 'strong');
/** @see {@link GinModule.strongSignalAdd} */
export const strongSignalAdd: DeviceFn<GinModule['strongSignalAdd']> = add('strongSignalAdd', 'strong');
/** @see {@link GinModule.weakSignalInc} */
export const weakSignalInc: DeviceFn<GinModule['weakSignalInc']> = inc('weakSignalInc', 'weak');
/** @see {@link GinModule.weakSignalAdd} */
export const weakSignalAdd: DeviceFn<GinModule['weakSignalAdd']> = add('weakSignalAdd', 'weak');
/** @see {@link GinModule.strongVASignalInc} */
export const strongVASignalInc: DeviceFn<GinModule['strongVASignalInc']> = vaInc('strongVASignalInc', 'strong');
/** @see {@link GinModule.strongVASignalAdd} */
export const strongVASignalAdd: DeviceFn<GinModule['strongVASignalAdd']> = vaAdd('strongVASignalAdd', 'strong');
/** @see {@link GinModule.weakVASignalInc} */
export const weakVASignalInc: DeviceFn<GinModule['weakVASignalInc']> = vaInc('weakVASignalInc', 'weak');
/** @see {@link GinModule.weakVASignalAdd} */
export const weakVASignalAdd: DeviceFn<GinModule['weakVASignalAdd']> = vaAdd('weakVASignalAdd', 'weak');
/** @deprecated See {@link GinModule.signalInc}. */
export const signalInc: DeviceFn<GinModule['signalInc']> = inc('signalInc', 'legacy');
/** @deprecated See {@link GinModule.signalAdd}. */
export const signalAdd: DeviceFn<GinModule['signalAdd']> = add('signalAdd', 'legacy');
/** @deprecated See {@link GinModule.vaSignalInc}. */
export const vaSignalInc: DeviceFn<GinModule['vaSignalInc']> = vaInc('vaSignalInc', 'legacy');
/** @deprecated See {@link GinModule.vaSignalAdd}. */
export const vaSignalAdd: DeviceFn<GinModule['vaSignalAdd']> = vaAdd('vaSignalAdd', 'legacy');

/** @see {@link GinModule.weakCounterInc} */
export const weakCounterInc: DeviceFn<GinModule['weakCounterInc']> = deviceFn(
  { name: 'gin.weakCounterInc' },
  (_context, counter) => ({ counter }),
);
