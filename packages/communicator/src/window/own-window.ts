import { expectInteger } from '@nccl-ts/core';
import { shown } from '../describe.ts';
import { invalidArgument } from '../errors.ts';
import { isRegisteredWindow, type RegisteredWindow } from './window.ts';

/** Returns the open window that a host function was given. @throws NcclError */
export function windowOf(window: unknown, what: string): RegisteredWindow {
  if (!isRegisteredWindow(window)) {
    throw invalidArgument(`${what}: window must come from allocWindow or registerWindow; given ${shown(window)}.`);
  }
  window.check(what);
  return window;
}

/** @throws NcclError `NCCL_INVALID_ARGUMENT` if the offset is not inside the window */
export function checkOffset(window: RegisteredWindow, offset: number, what: string): void {
  expectInteger(`${what}: offset`, offset, 0, window.bytes - 1);
}
