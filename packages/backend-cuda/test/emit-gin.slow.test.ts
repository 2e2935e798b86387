import './emit-gin.test.ts';
