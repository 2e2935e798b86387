import './approximations.test.ts';
