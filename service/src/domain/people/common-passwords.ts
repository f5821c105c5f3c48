// The words and passwords that are guessed first. Words are removed from a password before it is
// judged; the whole passwords have 12 or more characters and often appear in lists of leaked ones.

/** The longest first, so that a shorter word does not cut a longer one. */
export const commonWords: readonly string[] = `
  password passwort motdepasse contrasena parola senha wachtwoord passw0rd passwd passphrase pass
  qwertyuiop qwerty qwertz azerty asdfghjkl asdfgh asdf zxcvbnm zxcvbn 1q2w3e4r5t6y 1q2w3e4r5t
  1q2w3e4r 1q2w3e 1qaz2wsx 1qazxsw2 qazwsxedc qazwsx q1w2e3r4 zaq12wsx
  welcome willkommen bienvenue letmein letme iloveyou loveyou ilove love forever always
  administrator admin root superuser system default guest test testing demo example sample user
  changeme change secret secure security login signin account access master manager server
  monkey dragon sunshine princess football baseball basketball soccer hockey superman batman
  spiderman starwars pokemon pikachu charlie michael jordan daniel jessica ashley nicole michelle
  jennifer thomas robert andrew matthew joshua anthony william alexander samantha elizabeth
  shadow freedom whatever trustno hello computer internet google facebook instagram twitter youtube
  microsoft windows apple iphone android samsung summer winter spring autumn january february
  march april june july august september october november december monday tuesday wednesday
  thursday friday saturday sunday flower butterfly chocolate cookie cheese banana orange purple
  yellow silver golden diamond angel heaven jesus christ blessed family mother father sister
  brother baby honey sweet lover friend friends happy birthday christmas summertime money business
  company office work home house street london paris berlin madrid newyork america england germany
  liverpool chelsea arsenal barcelona juventus ferrari mercedes porsche mustang corvette harley
  killer hunter ranger tigger buster ginger pepper maggie bailey cooper
  payments payment merchant checkout billing invoice sandbox svc
  the and you my is in of to
`
  .split(/\s+/)
  .filter((word) => word !== '')
  .sort((a, b) => b.length - a.length);

/** In lower case, without passwords that the words above already cover. */
export const commonPasswords: ReadonlySet<string> = new Set(
  `
  correcthorsebatterystaple correct-horse-battery-staple thisismypassword ihavenoidea
  iamthebest neverforget nevergiveup followyourdreams livelaughlove carpediem2020 hakunamatata
  supercalifragilisticexpialidocious onceuponatime tobeornottobe maytheforcebewithyou
  opensesame123 abracadabra1 rumpelstiltskin mississippi1 unbreakable1 thequickbrownfox
  manchesterunited manchestercity realmadrid123 liverpoolfc1 dallascowboys pittsburgh1
  californication metallica123 slipknot6661 nirvana12345 linkinpark123 greenday12345
  harrypotter1 gandalf12345 frodobaggins lordoftherings skywalker123 darthvader12 chewbacca123
  counterstrike minecraft123 worldofwarcraft leagueoflegends fortnite1234 callofduty123
  alohomora1234 expelliarmus1 expectopatronum wingardiumleviosa
  anthony12345 christopher1 christopher12 christian123 jacqueline12 stephanie123 alexandria12
  marlboro1234 budweiser123 heineken1234 cocacola1234 mcdonalds123 nintendo1234 playstation1
  playstation2 playstation3 playstation4 playstation5 xbox36012345 redsox123456 yankees12345
  zaq1zaq1zaq1 1a2b3c4d5e6f a1b2c3d4e5f6 abcd1234efgh 123abc456def 147258369000 159753159753
  147852369000 741852963000 789456123000 987654321000 112233445566 121212121212 123123123123
  123321123321 131313131313 202020202020 314159265358 3141592653589 271828182845 696969696969
  010203040506 102030405060 111222333444 000111222333 1234567890qwe qwe123asd456 qweasdzxc123
  zxcasdqwe123 qwer1234asdf asdf1234qwer 1234qwerasdf q1w2e3r4t5y6 1qw23er45ty6 poiuytrewq123
  mnbvcxz12345 lkjhgfdsa123 plmoknijbuhv okmijnuhbygv
  `
    .split(/\s+/)
    .filter((word) => word !== ''),
);
