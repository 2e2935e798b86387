import './cooperative.test.ts';
