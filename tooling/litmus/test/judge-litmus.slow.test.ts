import './judge-litmus.test.ts';
