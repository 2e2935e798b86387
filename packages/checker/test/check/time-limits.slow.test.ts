import './time-limits.test.ts';
