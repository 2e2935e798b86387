import { wrappedText } from '@nccl-ts/ir';

/** The text for an element that a vector of `width` elements does not have. */
export function noLaneText(index: number, width: number): string {
  return `there is no element ${wrappedText(index)}: the vector has elements 0 to ${width - 1}`;
}

/** The text for a thread that a group does not have. */
export function noMemberText(index: number, members: number): string {
  return `there is no member ${wrappedText(index)}: the group has members 0 to ${members - 1}`;
}
