#!/usr/bin/env node
import '../dist/nccl-ts-bench.js';
