import type { Module, Type } from '@nccl-ts/ir';
import { handleType, pointerType, scalarType, vectorType } from '@nccl-ts/ir';
import type { Kernel, ParamType, ParamTypes } from '@nccl-ts/kernel';
