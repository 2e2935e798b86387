import './litmus.test.ts';
