import './epoch-sweep.test.ts';
