import './fences.test.ts';
