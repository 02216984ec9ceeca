case not-installed:
$ jitwarm startup
? 1
Not installed
To do jitwarm startup install
