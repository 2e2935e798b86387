#!/usr/bin/env node
await import('@nccl-ts/cli/bin/nccl-ts.js');
