import './predicted-micro-benchmarks.test.ts';
