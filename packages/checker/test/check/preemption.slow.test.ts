import './preemption.test.ts';
