import './bug-classes.test.ts';
