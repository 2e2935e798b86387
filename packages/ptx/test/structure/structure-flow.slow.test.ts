import './structure-flow.test.ts';
