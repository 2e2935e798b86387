import './emit-multimem.test.ts';
