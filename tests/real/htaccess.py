"""`.htaccess` as people write them, for the pages FEW of host_sites."""

ON = "RewriteEngine On\n"
HTACCESS = (
    # clean URLs, as in the most copied answers
    ON + "RewriteCond %{REQUEST_FILENAME}.html -f\nRewriteRule ^ %{REQUEST_URI}.html [L]\n",
    ON + "RewriteCond %{REQUEST_FILENAME} !-f\nRewriteRule ^([^\\.]+)$ $1.html [NC,L]\n",
    ON + "RewriteRule ^([^/]+)/$ $1.html\n",
    ON + "RewriteRule ^(.+?)/$ /$1.html\n",
    ON + "RewriteCond %{THE_REQUEST} /([^.]+)\\.html [NC]\nRewriteRule ^ /%1 [NC,L,R]\n"
    "RewriteCond %{REQUEST_FILENAME}.html -f\nRewriteRule ^ %{REQUEST_URI}.html [NC,L]\n",
    ON + "RewriteCond %{THE_REQUEST} ^[A-Z]{3,9}\\ /(.*)\\.html [NC]\n"
    "RewriteRule ^(a|b)\\.html$ /%1 [R=301,L]\n"
    "RewriteCond %{REQUEST_FILENAME} !-d\nRewriteCond %{REQUEST_FILENAME}.html -f\n"
    "RewriteRule ^(.*)$ $1.html [L]\n",
    ON + "RewriteCond %{REQUEST_FILENAME} !-d\nRewriteCond %{DOCUMENT_ROOT}/$1.html -f\n"
    "RewriteRule ^(.*?)/?$ /$1.html [L]\n",
    ON + "RewriteRule ^(.*)\\.html$ /$1 [R=301,END]\nRewriteRule ^([^.]*[^/])$ /$1.html [END]\n",
    "Options +MultiViews\n",
    "Options +MultiViews\nAcceptPathInfo On\n",
    "DirectorySlash Off\n" + ON + "RewriteCond %{DOCUMENT_ROOT}/$1/index.html -f\n"
    "RewriteRule ^(.+[^/])$ /$1/index.html [L]\n",
    # a front controller, which leaves files alone
    ON + "RewriteBase /\nRewriteRule ^index\\.php$ - [L]\nRewriteCond %{REQUEST_FILENAME} !-f\n"
    "RewriteCond %{REQUEST_FILENAME} !-d\nRewriteRule . /index.php [L]\n",
    ON + "RewriteCond %{REQUEST_FILENAME} -s [OR]\nRewriteCond %{REQUEST_FILENAME} -d\n"
    "RewriteRule ^.*$ - [NC,L]\nRewriteRule ^.*$ index.php [NC,L]\n",
    # redirects
    ON + "RewriteRule ^(.*)index\\.html$ /$1 [R=301,L]\nRewriteRule ^e/f\\.html$ - [G]\n",
    ON + "RewriteCond %{ENV:REDIRECT_STATUS} ^$\nRewriteRule ^(.*)index\\.html$ /$1 [R=301,L]\n",
    ON + "RewriteCond %{REQUEST_URI} ^/(?=wp-admin|xmlrpc)\nRewriteRule ^ - [F]\n",
    ON + "RewriteCond %{HTTP_COOKIE} session\nRewriteRule ^ /login [R,L]\n",
    ON + "RewriteCond $1 !^(a|b)\\.html$\nRewriteRule ^([^/]+)$ /$1/ [R]\n",
    ON + "RewriteCond %{REQUEST_URI} =/b.html [OR]\nRewriteCond %{REQUEST_URI} =/c.html\n"
    "RewriteRule ^ - [F]\n",
    ON + "RewriteCond expr \"%{REQUEST_URI} == '/b.html'\"\nRewriteRule ^ - [F]\n",
    ON + "RewriteRule ^a - [S=1]\nRewriteRule !^(index\\.html)?$ /moved [R=301,L]\n",
    ON + "RewriteRule ^a\\.html$ e/x [C]\nRewriteRule ^e/x$ /moved [R]\n",
    ON + "RewriteRule ^both(/.*)?$ a.html [L]\n",
    "RedirectMatch 301 ^/e/(?!f)(.*)$ /x/$1\nRedirectMatch 404 ^/both\n",
    "Redirect 301 /d https://other.example/d\nRedirect seeother /a.html /\nRedirect gone /b.html\n",
    "Redirect 301 /c.html /both/\n" + ON + "RewriteRule ^c\\.html$ a.html [L]\n",
    # who may enter
    'AuthType Basic\nAuthName x\n<Files "a.html">\nRequire valid-user\n</Files>\n',
    "Order deny,allow\nDeny from all\nAllow from env=ok\nSetEnvIf Request_URI ^/e ok\n",
    "Order allow,deny\nSatisfy any\n",
    "<RequireAll>\nRequire all granted\nRequire not env BAD\n</RequireAll>\n"
    "SetEnvIf Request_URI ^/e BAD\n",
    "<RequireAny>\nRequire all denied\n<RequireAll>\nRequire method GET\n</RequireAll>\n</RequireAny>\n",
    'Require expr "%{REQUEST_URI} !~ m#^/e/#"\n',
    "<Limit POST>\nRequire all denied\n</Limit>\n<Files b.html>\n<LimitExcept POST>\n"
    "Require all denied\n</LimitExcept>\n</Files>\n",
    "<If \"%{REQUEST_URI} in {'/b.html', '/c.html'}\">\nRequire all denied\n</If>\n",
    '<If "%{REQUEST_URI} =~ m#^/e/#">\nRequire all denied\n</If>\n'
    "<Else>\nHeader set X-Robots-Tag noindex\n</Else>\n",
    # headers
    'SetEnvIf Request_URI "^/e/" X\nHeader set X-Robots-Tag noindex env=X\n',
    '<If "%{REQUEST_URI} =~ m#^/e/#">\nHeader set X-Robots-Tag noindex\n</If>\n',
    'Header set X-Robots-Tag "noindex" "expr=%{REQUEST_URI} =~ m#^/e/#"\n',
    '<FilesMatch "^(?!index).*\\.html$">\nHeader always set X-Robots-Tag noindex\n</FilesMatch>\n',
    "SetEnvIf Request_URI ^/e/ A=1 B\nSetEnvIf Request_URI f !B\nHeader add X-Robots-Tag none env=B\n",
    "Header set X-Robots-Tag noindex\n<Files a.html>\nHeader unset X-Robots-Tag\n</Files>\n",
    # what a folder shows
    "DirectoryIndex a.html index.html\nErrorDocument 403 /b.html\n",
    "DirectoryIndex f.html\nOptions -Indexes\n",
    "Options None\n" + ON + "RewriteRule ^nothing - [F]\n",
)
